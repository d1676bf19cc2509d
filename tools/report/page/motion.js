// Animations: they stand still until someone plays them, whatever motion the reader prefers, and step by key.

const motionSteps = 24;

/** The controls, keys and files of an animated figure. */
function motionOf(figure) {
  const slider = make("input", { type: "range", min: 0, max: motionSteps, step: 1, "aria-label": "Step of the animation" });
  const now = make("output", {});
  const animations = () => visibleSvg(figure.element).getAnimations({ subtree: true });
  const duration = () => animations()[0].effect.getComputedTiming().duration;
  let timer = 0;
  const show = (step) => {
    slider.value = step;
    now.textContent = `step ${slider.value} of ${motionSteps}`;
  };
  const play = button("Play", "Play or pause", () => toggle());
  const pause = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
    animations().forEach((animation) => animation.pause());
  };
  const goTo = (step) => {
    pause();
    show(Math.max(0, Math.min(motionSteps, step)));
    // The last moment: at the whole duration the animation would begin again.
    animations().forEach((animation) => { animation.currentTime = Math.min(duration() - 1, (duration() * slider.value) / motionSteps); });
  };
  const toggle = () => {
    if (timer) {
      pause();
      return;
    }
    play.textContent = "Pause";
    animations().forEach((animation) => animation.play());
    timer = setInterval(() => show(Math.floor(((animations()[0].currentTime % duration()) / duration()) * motionSteps)), 100);
  };
  const step = (by) => goTo(Number(slider.value) + by);
  slider.addEventListener("input", () => step(0));
  requestAnimationFrame(() => goTo(motionSteps / 2));
  window.matchMedia("(max-width: 40rem)").addEventListener("change", () => requestAnimationFrame(() => step(0)));
  return {
    controls: make("div", { class: "tools motion" }, button("\u2212", "One step back", () => step(-1)), play, button("+", "One step on", () => step(1)), slider, now),
    keys: { ArrowRight: () => step(1), ArrowLeft: () => step(-1), " ": () => toggle(), Home: () => goTo(0), End: () => goTo(motionSteps) },
    /** What is shown now, as a drawing that stands still. */
    frame() {
      const shown = visibleSvg(figure.element);
      const still = shown.cloneNode(true);
      const copies = [...still.querySelectorAll(".m")];
      [...shown.querySelectorAll(".m")].forEach((part, index) => {
        const { transform, opacity } = getComputedStyle(part);
        ["class", "style"].forEach((name) => copies[index].removeAttribute(name));
        copies[index].setAttribute("opacity", opacity);
        if (transform !== "none") {
          copies[index].setAttribute("transform", transform);
        }
      });
      still.querySelector("style").remove();
      return svgText(still, figure);
    },
    /** The animation, which stands still for who asks for less motion. */
    animated() {
      return svgText(figure.element.firstElementChild, figure)
        .replace("linear infinite paused}", "linear infinite}\n@media (prefers-reduced-motion:reduce){.m{animation-name:none!important}}");
    },
  };
}
