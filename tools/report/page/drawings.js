// Drawings that the program made: pictures that stand still, and animations, which play, and step by key.

/** Steps of an animation. */
const motionSteps = 24;

/** The drawing in the colours of the page's theme. */
function themedSvg(svg, theme) {
  const { name: _, scale, use, ...colours } = lightTheme;
  return Object.keys(colours).reduce((text, key) => (key === "strong" ? text : text.replaceAll(`"${lightTheme[key]}"`, `"${theme[key]}"`)), svg);
}

/** What an animation shows now, as a drawing that stands still. */
function frameSvg(shown) {
  const still = shown.cloneNode(true);
  const moving = [...still.querySelectorAll(".m")];
  [...shown.querySelectorAll(".m")].forEach((part, index) => {
    const { transform, opacity } = getComputedStyle(part);
    const copy = moving[index];
    copy.removeAttribute("class");
    copy.removeAttribute("style");
    copy.setAttribute("opacity", opacity);
    if (transform !== "none") {
      copy.setAttribute("transform", transform);
    }
  });
  still.querySelector("style")?.remove();
  return new XMLSerializer().serializeToString(still);
}

/** Buttons, a slider and keys for an animation's time. */
function motionControls(animations, element) {
  const { duration } = animations[0].effect.getComputedTiming();
  const play = make("button", { type: "button" }, "Play");
  const back = make("button", { type: "button", "aria-label": "One step back" }, "-");
  const on = make("button", { type: "button", "aria-label": "One step on" }, "+");
  const slider = make("input", { type: "range", min: 0, max: motionSteps, step: 1, "aria-label": "Step of the animation" });
  const now = make("output", {});
  let playing = false;
  let timer = 0;
  const show = (step) => {
    slider.value = Math.max(0, Math.min(motionSteps, step));
    now.textContent = `step ${slider.value} of ${motionSteps}`;
  };
  const goTo = (step) => {
    pause();
    show(step);
    // The last moment: at the whole duration the animation would begin again.
    animations.forEach((animation) => { animation.currentTime = Math.min(duration - 1, (duration * slider.value) / motionSteps); });
  };
  function pause() {
    playing = false;
    clearInterval(timer);
    play.textContent = "Play";
    animations.forEach((animation) => animation.pause());
  }
  const toggle = () => {
    if (playing) {
      pause();
      return;
    }
    playing = true;
    play.textContent = "Pause";
    animations.forEach((animation) => animation.play());
    timer = setInterval(() => show(Math.floor(((animations[0].currentTime % duration) / duration) * motionSteps)), 100);
  };
  play.addEventListener("click", toggle);
  back.addEventListener("click", () => goTo(Number(slider.value) - 1));
  on.addEventListener("click", () => goTo(Number(slider.value) + 1));
  slider.addEventListener("input", () => goTo(Number(slider.value)));
  element.addEventListener("keydown", (event) => {
    const actions = { ArrowRight: () => goTo(Number(slider.value) + 1), ArrowLeft: () => goTo(Number(slider.value) - 1), " ": toggle, Home: () => goTo(0), End: () => goTo(motionSteps) };
    if (actions[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      actions[event.key]();
    }
  });
  goTo(Math.round(0.5 * motionSteps)); // stands still until someone plays it, whatever motion they prefer
  return make("div", { class: "tools motion" }, back, play, on, slider, now);
}

/** A drawing with its title, note, buttons and numbers. */
function drawingFigure(id, drawing) {
  const element = make("div", { class: "drawing", id, tabindex: "0", role: "img", "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-note` });
  // Of its own, so that names of drawings do not meet.
  const room = element.attachShadow({ mode: "open" });
  const controls = make("div");
  const svgOf = () => (window.innerWidth > wideFrom ? drawing.wide : drawing.narrow);
  const table = { columns: drawing.columns, rows: () => drawing.rows };
  let shown = null;
  const fill = () => {
    const text = themedSvg(svgOf(), currentTheme()).replace(/@media[^{]*\{\.m\{[^}]*\}\}/, ""); // the page plays nothing by itself
    shown = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
    shown.setAttribute("style", "width:100%;height:auto;display:block");
    shown.querySelector("title")?.remove(); // the browser would show it at the pointer
    room.replaceChildren(shown);
    const animations = shown.getAnimations({ subtree: true });
    controls.replaceChildren(...(animations.length > 0 ? [motionControls(animations, element)] : []));
  };
  const lightFrame = () => themedSvgBack(frameSvg(shown));
  const moving = drawing.wide.includes("@keyframes");
  const saves = moving ? [make("span", { class: "note" }, "This step:"), ...saveButtons(id, drawing.title, lightFrame, table), make("span", { class: "note" }, "Animation:"), saveButtons(`${id}-animated`, `${drawing.title}, animated`, () => drawing.wide)[0]]
    : saveButtons(id, drawing.title, () => drawing.wide, table);
  const hint = make("p", { class: "keys-hint", "aria-hidden": "true" }, moving ? "Keys: left and right step, space plays and stops" : "");
  drawings.push(fill);
  return make("div", {}, make("h3", { id: `${id}-title` }, drawing.title), noteOf(drawing.note, `${id}-note`), controls, make("figure", {}, element, hint),
    make("div", { class: "tools saves" }, ...saves), tableBehindClick(table));
}

/** A frame that was shown in the page's theme, in the colours of files. */
function themedSvgBack(svg) {
  const theme = currentTheme();
  return ["ground", "ink", "quiet", "line"].reduce((text, key) => text.replaceAll(`"${theme[key]}"`, `"${lightTheme[key]}"`), svg);
}

/** Draw again what there is, in the theme of now. */
const drawings = [];
