// The whole book on one page follows the system's theme, and is printed in the light one.
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = (theme) => (document.documentElement.dataset.theme = theme);
const follow = () => paint(dark.matches ? "dark" : "light");
follow();
dark.addEventListener("change", follow);
addEventListener("beforeprint", () => paint("light"));
addEventListener("afterprint", follow);
