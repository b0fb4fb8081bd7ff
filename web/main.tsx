import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./ui/style.css";

const place = document.getElementById("app");
if (!place) throw new Error("The page has no place for the console.");
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
