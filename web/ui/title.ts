let title = "";
let count = 0;

/** What the tab is called. */
export function setTitle(next: string) {
  title = next;
  write();
}

/** How much waits: in the tab's name and on its icon. */
export function setCount(next: number) {
  count = next;
  write();
  drawIcon(next);
}

function write() {
  document.title = `${count > 0 ? `(${count}) ` : ""}${title ? `${title} · ` : ""}Crewroom`;
}

const SIZE = 64;
const ACCENT = "#0b6e5f";
const ALARM = "#c2372a";

/** Drawn here: a page that loads nothing from elsewhere has its icon as data. */
function drawIcon(waiting: number) {
  const canvas = document.createElement("canvas");
  canvas.width = SIZE;
  canvas.height = SIZE;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.fillStyle = ACCENT;
  pen.beginPath();
  pen.roundRect(0, 0, SIZE, SIZE, 14);
  pen.fill();
  pen.strokeStyle = "#ffffff";
  pen.lineWidth = 7;
  pen.lineCap = "round";
  pen.beginPath();
  pen.arc(SIZE / 2, SIZE / 2, 15, 0.75, Math.PI * 2 - 0.75);
  pen.stroke();
  if (waiting > 0) drawCount(pen, waiting);
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]") ?? document.createElement("link");
  link.rel = "icon";
  link.href = canvas.toDataURL("image/png");
  document.head.append(link);
}

function drawCount(pen: CanvasRenderingContext2D, waiting: number) {
  pen.fillStyle = ALARM;
  pen.beginPath();
  pen.arc(SIZE - 20, 20, 20, 0, Math.PI * 2);
  pen.fill();
  pen.fillStyle = "#ffffff";
  pen.font = "bold 28px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(waiting > 9 ? "9+" : String(waiting), SIZE - 20, 21);
}
