// Colours. GPUs and phases take those of Okabe and Ito ("Color Universal Design", 2008), which people
// with any kind of colour vision can distinguish; yellow is darkened so that it shows on white.

const okabeIto = palette.groups;
const lightTheme = palette.light;
const darkTheme = palette.dark;

/** What is read on a shade of the scale. \param share 0: its first colour, 1: its last */
function inkOn(theme, share) {
  const isDark = theme.name === "light" ? share > 0.45 : share < 0.62;
  return isDark ? "#ffffff" : "#000000";
}

/** The smallest of 1, 2, 5, 10, 20 ... (and of 0.5, 0.2, 0.1 ...) with which at most `count` steps cover `span`. */
function roundStep(span, count) {
  const least = span / Math.max(1, count);
  const unit = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((factor) => factor * unit >= least * (1 - 1e-9)) * unit;
}

/** Limits and interval of an axis on which these values lie, all of them multiples of a round step. */
function roundLimits(low, high, count) {
  const interval = roundStep(high > low ? high - low : 1, count);
  const min = Math.floor(low / interval + 1e-9) * interval;
  return { min, max: Math.max(min + interval, Math.ceil(high / interval - 1e-9) * interval), interval };
}

/** How many steps an axis of so many pixels has room to name. */
function stepsIn(pixels) {
  return Math.max(2, Math.min(6, Math.floor(pixels / 64)));
}

/** Names of categories where all have no room: of every 2nd, 5th, 10th ... one. \param room that a name needs, in pixels */
function namesThatFit(count, pixels, room) {
  const fitting = Math.max(1, Math.floor(pixels / room));
  const step = count <= fitting ? 1 : roundStep(count, fitting);
  return (index) => index % step === 0;
}

/** More GPUs share their colours by groups, which are wide enough to be seen. */
const coloursOfGpusMost = 16;

/** Neighbouring GPUs, or groups of them, never share a colour. @param count of all GPUs */
function gpuColor(gpu, count = 1) {
  return okabeIto[Math.floor(gpu / Math.ceil(count / coloursOfGpusMost)) % okabeIto.length];
}

const phaseColors = palette.phases;

/** The same phase has the same colour in every chart; a pass's number changes nothing. */
function phaseColor(phase, others = []) {
  const name = phase.replace(/,? pass \d+$/, "");
  if (phaseColors[name]) {
    return phaseColors[name];
  }
  return okabeIto[Math.max(0, others.indexOf(phase)) % okabeIto.length];
}

/** How far below an axis its names lie where the other axis has a name at the corner, too. */
const belowCorner = 12;

/** What all charts have in common. */
function baseOption(theme) {
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { color: theme.ink, fontFamily: "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif", fontSize: 12 },
    tooltip: {
      className: "hover", confine: true, backgroundColor: theme.ground, borderColor: theme.line,
      textStyle: { color: theme.ink, fontSize: 13 },
    },
  };
}

function axisLook(theme, more = {}) {
  return {
    axisLine: { lineStyle: { color: theme.quiet } },
    axisTick: { lineStyle: { color: theme.quiet } },
    nameTextStyle: { color: theme.quiet },
    splitLine: { lineStyle: { color: theme.line } },
    ...more,
    axisLabel: { color: theme.quiet, hideOverlap: true, ...more.axisLabel },
  };
}

function legendLook(theme, more = {}) {
  return { type: "scroll", top: 0, textStyle: { color: theme.ink }, pageTextStyle: { color: theme.ink }, ...more };
}

/** A wheel over a chart scrolls the page; with Ctrl or Shift it zooms. */
function zoomLook(theme, axis) {
  return [
    { type: "inside", filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, moveOnMouseMove: true, ...axis },
    {
      type: "slider", filterMode: "none", height: 20, bottom: 8, borderColor: theme.line, brushSelect: false,
      showDetail: false, textStyle: { color: theme.quiet }, ...axis,
    },
  ];
}
