"use strict";

// Elements takes its colours from this attribute, unless it remembers those of an earlier visit.
localStorage.removeItem("mosaic-theme");
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

// Elements would keep the API key of a tried request in the browser for ever. Ours is gone with the page.
function forgetKey() {
  localStorage.removeItem("TryIt_securitySchemeValues");
}
forgetKey();
addEventListener("pagehide", forgetKey);
