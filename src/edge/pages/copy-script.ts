export const COPY_SCRIPT_PATH = "/assets/copy.js";

/**
 * Puts a button beside every command, which copies it. On plain http browsers keep the clipboard from pages; the old command
 * still works there, and where nothing does the text is selected. Without script the commands stand there all the same.
 */
export const COPY_SCRIPT = `for (const pre of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  const place = document.createElement("div");
  place.className = "copy-place";
  pre.replaceWith(place);
  place.append(pre, button);
  button.addEventListener("click", async () => {
    const copied = await copy(pre);
    button.textContent = copied ? "Copied" : "Selected: press Ctrl+C or \\u2318C";
    setTimeout(() => (button.textContent = "Copy"), 3000);
  });
}

async function copy(pre) {
  try {
    await navigator.clipboard.writeText(pre.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(pre);
    return document.execCommand("copy");
  }
}
`;
