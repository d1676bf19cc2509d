// Charts over time: what every stream does when, to whom each GPU sends, and how long phases last.

/** Copies of one GPU to one other that follow each other are one mark: [begin, end, source, destination, bytes, copies]. */
function joinedCopies(copies) {
  const marks = [];
  for (const copy of copies) {
    const last = marks.at(-1);
    if (last && last[2] === copy[2] && last[3] === copy[3] && copy[0] >= last[1] && copy[0] - last[1] < (copy[1] - copy[0])) {
      last[1] = copy[1];
      last[4] += copy[4];
      last[5] += copy[5];
    } else {
      marks.push(copy.slice());
    }
  }
  return marks;
}

/** The GPU that a copy between GPUs reads from: a profiled one may be carried out by the other. */
function sourceOf(section, row) {
  return row[8] >= 0 ? row[8] : section.tasks.streams[row[0]].gpu;
}

/** What the colours of groups of GPUs mean. */
function groupLegend(section) {
  const count = section.gpus.length;
  const size = Math.ceil(count / coloursOfGpusMost);
  return indices(Math.ceil(count / size)).map((group) => {
    const [first, last] = [group * size, Math.min(count, (group + 1) * size) - 1];
    return { label: `to GPU${first === last ? "" : "s"} ${section.gpus[first]}${first === last ? "" : `-${section.gpus[last]}`}`, color: gpuColor(first, count) };
  });
}

/** To whom each GPU sends at what time: a column of one colour is many GPUs sending to one. */
function swapOrderChart(section) {
  const { rows, phases } = section.tasks;
  const place = new Map(section.gpus.map((gpu, index) => [gpu, index]));
  const profiled = section.kind === "profile";
  const swaps = rows.filter((row) => (profiled ? row[6] >= 0 : row[5] > 0 && ["key swap", "merge"].includes(phases[row[1]])));
  const copies = swaps.filter((row) => row[6] >= 0 && place.has(sourceOf(section, row)) && place.has(row[6]));
  const begin = copies.reduce((first, row) => Math.min(first, row[3]), Infinity);
  const marks = joinedCopies(copies.map((row) => [row[3] - begin, row[4] - begin, place.get(sourceOf(section, row)), place.get(row[6]), row[5], row[7]]));
  const end = marks.reduce((last, mark) => Math.max(last, mark[1]), 0);
  return {
    id: "swap-order",
    title: profiled ? "Copies between GPUs: to whom each sends" : "Key swap: to whom each GPU sends",
    note: "Each row is a GPU that sends; the colour says to which GPU. A column of one colour is incast: all send to one GPU at once and share its link. " +
      "A good order shows all colours at any time.",
    height: Math.min(640, 84 + 28 * Math.max(2, section.gpus.length)),
    canvas: marks.length > 1500,
    zoom: "x",
    legend: () => groupLegend(section),
    empty: marks.length > 0 ? "" : swaps.length > 0 ? "The copies are too many to be drawn one by one." : "No keys go from one GPU to another.",
    option: (theme) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const [start, stop, source, destination, bytes, count] = item.value;
          return `GPU ${section.gpus[source]} to GPU ${section.gpus[destination]}<br>${formatShort(bytes, "B")} in ${formatCount(count)} ${count === 1 ? "copy" : "copies"}, ${formatMs(stop - start)}, ${trimmed(Number((bytes / (stop - start) / 1e6).toPrecision(3)))} GB/s`;
        },
      },
      grid: { left: 62, right: 16, top: 8, bottom: 62 },
      xAxis: axisLook(theme, { type: "value", min: 0, max: end, name: "ms since the first copy began", nameLocation: "middle", nameGap: 20, axisLabel: { showMaxLabel: false, formatter: (ms) => trimmed(ms) } }),
      yAxis: axisLook(theme, { type: "category", inverse: true, data: section.gpus.map((gpu) => `GPU ${gpu}`), axisTick: { show: false } }),
      dataZoom: zoomLook(theme, { xAxisIndex: 0 }),
      series: [{
        id: "swap-order", type: "custom", data: marks, encode: { x: [0, 1], y: 2 }, animation: false, progressive: 0, clip: true,
        renderItem: renderSpan((index) => gpuColor(marks[index][3], section.gpus.length), theme),
      }],
    }),
    table: {
      columns: ["source GPU", "destination GPU", "begin (ms)", "end (ms)", "size (B)", "copies", "rate (GB/s)"],
      rows: () => marks.map(([start, stop, source, destination, bytes, count]) => [section.gpus[source], section.gpus[destination], start, stop, bytes, count,
        bytes / (stop - start) / 1e6]),
    },
  };
}

/** Arrows are drawn when no more copies than this are in view. */
const arrowsMost = 220;

function renderArrow(theme) {
  return (params, api) => {
    const start = api.coord([api.value(0), api.value(2)]);
    const end = api.coord([api.value(1), api.value(3)]);
    const angle = Math.atan2(end[1] - start[1], end[0] - start[0]);
    const tip = (turn) => [end[0] - 6 * Math.cos(angle + turn), end[1] - 6 * Math.sin(angle + turn)];
    const style = { stroke: theme.strong, lineWidth: 1, opacity: 0.55, fill: null };
    return {
      type: "group", silent: true,
      children: [
        { type: "line", shape: { x1: start[0], y1: start[1], x2: end[0], y2: end[1] }, style },
        { type: "polyline", shape: { points: [tip(0.5), end, tip(-0.5)] }, style },
      ],
    };
  };
}

/** Streams in the order of the picture, and tasks as [begin, end, row]. */
function timelineRows(section) {
  const { streams, rows } = section.tasks;
  const busy = new Set(rows.map((row) => row[0]));
  const order = streams.map((stream, index) => ({ ...stream, index })).filter((stream) => busy.has(stream.index))
    .sort((a, b) => (a.gpu ?? -1) - (b.gpu ?? -1) || a.index - b.index);
  const place = new Map(order.map((stream, row) => [stream.index, row]));
  const firstRow = new Map();
  order.forEach((stream, row) => {
    if (stream.gpu !== null && !firstRow.has(stream.gpu)) {
      firstRow.set(stream.gpu, row);
    }
  });
  return { order, spans: rows.map((row) => [row[3], row[4], place.get(row[0])]), firstRow };
}

/** Arrows of the copies between GPUs that a span of time shows: [begin, end, row of the source, row of the destination]. */
function copyArrows(section, { spans, firstRow }, from, to) {
  const { streams, rows } = section.tasks;
  const rowOf = (gpu, index) => (streams[rows[index][0]].gpu === gpu ? spans[index][2] : firstRow.get(gpu));
  const arrows = [];
  for (const [index, row] of rows.entries()) {
    if (row[6] >= 0 && row[3] < to && row[4] > from) {
      const ends = [rowOf(sourceOf(section, row), index), rowOf(row[6], index)];
      if (ends.every((end) => end !== undefined)) {
        arrows.push([row[3], row[4], ...ends]);
      }
      if (arrows.length > arrowsMost) {
        return [];
      }
    }
  }
  return arrows;
}

/** What a task does. */
function taskName(section, row) {
  return section.tasks.phases[row[1]];
}

/** Colours by name. Of a profile's kernels, which may be thousands, the longest have one; all others are grey. */
function phaseColorsOf(section) {
  const ms = new Map();
  for (const row of section.tasks.rows) {
    ms.set(taskName(section, row), (ms.get(taskName(section, row)) ?? 0) + row[4] - row[3]);
  }
  if (section.kind !== "profile") {
    const names = [...ms.keys()];
    return new Map(names.map((name) => [name, phaseColor(name, names)]));
  }
  const ranked = [...ms.keys()].sort((a, b) => ms.get(b) - ms.get(a));
  const fixed = ranked.filter((name) => phaseColors[name] && name !== "several");
  const free = okabeIto.slice(0, -1).filter((color) => !fixed.some((name) => phaseColors[name] === color));
  const kernels = ranked.filter((name) => !phaseColors[name]).slice(0, free.length);
  return new Map([...kernels.map((name, index) => [name, free[index]]), ...fixed.map((name) => [name, phaseColors[name]])]);
}

/** A stream has a name where there is room for all of them; else some GPUs have one, at their first stream. */
function streamNames(order, pixels, narrow) {
  const names = order.map(({ gpu, name }) => (gpu === null ? name : `GPU ${gpu} ${name.replace(/^gpu ?\d+:? ?/i, "")}`));
  const look = { fontSize: narrow ? 10 : 11, hideOverlap: false, width: narrow ? 88 : 138, overflow: "truncate" };
  if (order.length * 13 <= pixels) {
    const short = (name) => name.replace(" kernels and swap", " kernels").replace(" stream ", " s");
    return { data: narrow ? names.map(short) : names, axisLabel: { ...look, interval: 0 } };
  }
  const gpus = [...new Set(order.map(({ gpu }) => gpu))];
  const fits = namesThatFit(gpus.length, pixels, 14);
  const named = (row) => order[row].gpu !== null && (row === 0 || order[row - 1].gpu !== order[row].gpu) && fits(gpus.indexOf(order[row].gpu) - (gpus[0] === null ? 1 : 0));
  return { data: order.map(({ gpu, name }) => (gpu === null ? name : `GPU ${gpu}`)), axisLabel: { ...look, interval: named } };
}

/** What every stream does when, of a simulation or of a profile. */
function taskTimeline(section) {
  const { streams, rows } = section.tasks;
  const { order, spans, firstRow } = timelineRows(section);
  const height = Math.min(900, 90 + 17 * Math.max(4, order.length));
  const axisOf = (narrow) => streamNames(order, height - 70, narrow);
  const colors = phaseColorsOf(section);
  const others = rows.some((row) => !colors.has(taskName(section, row)));
  const colorOf = (name) => colors.get(name) ?? okabeIto.at(-1);
  const arrowsIn = (from, to) => copyArrows(section, { spans, firstRow }, from, to);
  const joined = section.tasks.exact_count > rows.length;
  const profiled = section.kind === "profile";
  return {
    id: "timeline",
    title: profiled ? "Timeline as recorded, by GPU and stream" : "Timeline by GPU and stream",
    note: `What every stream does when${profiled ? ", and above it the ranges that the program named" : ""}. ` +
      `Zoom into the ${profiled ? "copies" : "key swap"} to see copies between GPUs as arrows to the GPU that receives.` +
      (joined ? ` ${formatCount(section.tasks.exact_count)} ${profiled ? "records" : "tasks"} are drawn as ${formatCount(rows.length)} bars, ` +
        `neighbours of one ${profiled ? "stream" : "phase"} together.` : ""),
    height,
    canvas: rows.length > 600,
    zoom: "x",
    legend: () => [...colors].map(([label, color]) => ({ label, color })).concat(others ? [{ label: "others", color: okabeIto.at(-1) }] : []),
    empty: rows.length === 0 ? (profiled ? "The recording has neither work of GPUs nor ranges." : "Nothing is done.") : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const [stream, , pass, begin, end, bytes, destination, tasks] = rows[item.dataIndex];
          return `${escapeHtml(streams[stream].name)}: ${escapeHtml(taskName(section, rows[item.dataIndex]))}${pass > 0 ? `, pass ${pass}` : ""}<br>` +
            `${formatMs(begin)} to ${formatMs(end)} (${formatMs(end - begin)})` +
            (bytes > 0 ? `<br>${formatShort(bytes, "B")}, ${trimmed(bytes / (end - begin) / 1e6)} GB/s` : "") +
            (destination >= 0 ? ` to GPU ${destination}` : "") + (tasks > 1 ? `<br>${formatCount(tasks)} tasks` : "");
        },
      },
      grid: { left: width < 560 ? 92 : 148, right: 16, top: 8, bottom: 62 },
      xAxis: axisLook(theme, { type: "value", min: 0, max: section.total_ms, name: "ms", nameLocation: "middle", nameGap: 20, axisLabel: { showMaxLabel: false } }),
      yAxis: axisLook(theme, {
        type: "category", inverse: true, axisTick: { show: false }, ...axisOf(width < 560),
      }),
      dataZoom: zoomLook(theme, { xAxisIndex: 0 }),
      series: [
        {
          id: "timeline", type: "custom", data: spans, encode: { x: [0, 1], y: 2 }, animation: false, progressive: 0, clip: true,
          renderItem: renderSpan((index) => colorOf(taskName(section, rows[index])), theme),
        },
        { id: "arrows", type: "custom", silent: true, data: arrowsIn(0, section.total_ms), encode: { x: [0, 1], y: [2, 3] }, renderItem: renderArrow(theme), animation: false, clip: true, z: 5 },
      ],
    }),
    update: (from, to) => ({ series: [{ id: "timeline" }, { id: "arrows", data: arrowsIn(from, to) }] }),
    table: {
      columns: ["stream", profiled ? "name" : "phase", "pass", "begin (ms)", "end (ms)", "size (B)", "to GPU", "tasks"],
      count: rows.length,
      rows: function* () {
        for (const row of rows) {
          const [stream, , pass, begin, end, bytes, destination, tasks] = row;
          yield [streams[stream].name, taskName(section, row), pass, begin, end, bytes, destination < 0 ? "" : destination, tasks];
        }
      },
    },
  };
}

function phaseName(phase) {
  return phase.pass > 0 ? `${phase.phase}, pass ${phase.pass}` : phase.phase;
}

/** A phase's bar with its duration: behind it, or before it where it ends in the last part of the picture. */
function renderPhase(section, theme) {
  const bar = renderSpan((index) => phaseColor(section.phases[index].phase), theme);
  return (params, api) => {
    const rect = bar(params, api);
    const [begin, end] = [api.value(0), api.value(1)];
    const behind = end < 0.85 * section.total_ms || begin < 0.15 * section.total_ms;
    const { x, y, width, height } = rect.shape;
    const text = {
      type: "text", silent: true, x: behind ? x + width + 5 : x - 5, y: y + height / 2,
      style: { text: formatPlain(Number((end - begin).toPrecision(3))), fontSize: 11, fill: theme.ink, align: behind ? "left" : "right", verticalAlign: "middle" },
    };
    return { type: "group", children: [rect, text] };
  };
}

function phasesChart(section) {
  const names = section.phases.map(phaseName);
  return {
    id: "phases",
    title: "Phases",
    note: "From a phase's first task on any GPU to its last, in ms; phases may overlap.",
    height: 70 + 28 * Math.max(1, names.length),
    empty: names.length === 0 ? "There is nothing to do." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const phase = section.phases[item.dataIndex];
          return `${escapeHtml(phaseName(phase))}<br>${formatMs(phase.begin_ms)} to ${formatMs(phase.end_ms)} (${formatMs(phase.end_ms - phase.begin_ms)})`;
        },
      },
      grid: { left: width < 560 ? 112 : 148, right: 60, top: 8, bottom: 44 },
      xAxis: axisLook(theme, {
        type: "value", min: 0, max: section.total_ms, name: "ms", nameLocation: "middle", nameGap: 22, splitNumber: stepsIn(width - 208), axisLabel: { showMaxLabel: false },
      }),
      yAxis: axisLook(theme, { type: "category", inverse: true, data: names, axisTick: { show: false }, axisLabel: { interval: 0 } }),
      series: [{
        id: "phases", type: "custom", animation: false, encode: { x: [0, 1], y: 2 },
        data: section.phases.map((phase, row) => [phase.begin_ms, phase.end_ms, row]),
        renderItem: renderPhase(section, theme),
      }],
    }),
    table: {
      columns: ["phase", "pass", "begin (ms)", "end (ms)", "duration (ms)"],
      rows: () => section.phases.map((phase) => [phase.phase, phase.pass, phase.begin_ms, phase.end_ms, phase.end_ms - phase.begin_ms]),
    },
  };
}

/** The one measured run, if there is exactly one: errors are against it. */
function measuredRun(section) {
  const measured = section.runs.flatMap((run, index) => (run.measured ? [index] : []));
  return measured.length === 1 ? measured[0] : -1;
}

function comparisonChart(given) {
  // The total is what the sorts are compared by.
  const isTotal = (row) => row.phase === "total";
  const section = { ...given, rows: [...given.rows.filter(isTotal), ...given.rows.filter((row) => !isTotal(row))] };
  const measured = measuredRun(section);
  const errorText = (row, run) => {
    const truth = measured >= 0 && run !== measured ? row.ms[measured] : 0;
    const error = truth > 0 ? row.ms[run] / truth - 1 : 0;
    return truth > 0 && row.ms[run] > 0 ? `${error >= 0 ? "+" : "-"}${formatPercent(Math.abs(error))}` : "";
  };
  return {
    id: "comparison",
    title: "How long each phase takes",
    note: measured >= 0 ? "Each phase on its slowest GPU; figures at the predicted bars are errors against the measured run. Phases may overlap, so they need not add up to the total."
      : "Each phase on its slowest GPU, in ms. Phases may overlap, so they need not add up to the total.",
    height: 90 + section.rows.length * (18 + 18 * section.runs.length),
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => `${escapeHtml(section.rows[item.dataIndex].phase)}, ${escapeHtml(item.seriesName)}<br>${formatMs(item.value)} ` +
          errorText(section.rows[item.dataIndex], item.seriesIndex),
      },
      legend: legendLook(theme),
      grid: { left: width < 560 ? 112 : 148, right: 70, top: 34, bottom: 44 },
      xAxis: axisLook(theme, { type: "value", name: "ms", nameLocation: "middle", nameGap: 22, splitNumber: stepsIn(width - 218) }),
      yAxis: axisLook(theme, { type: "category", inverse: true, data: section.rows.map((row) => row.phase), axisTick: { show: false }, axisLabel: { interval: 0 } }),
      series: section.runs.map((run, index) => ({
        id: `run${index}`, name: run.name, type: "bar", animation: false, color: okabeIto[index % okabeIto.length],
        data: section.rows.map((row) => row.ms[index]),
        label: {
          show: true, position: "right", color: theme.ink, fontSize: 11,
          formatter: (item) => errorText(section.rows[item.dataIndex], index) || (item.value > 0 ? formatPlain(Number(item.value.toPrecision(3))) : ""),
        },
      })),
    }),
    table: {
      columns: ["phase", ...section.runs.map((run) => `${run.name} (ms)`), ...(measured >= 0 ? section.runs.filter((run) => !run.measured).map((run) => `${run.name}: error`) : [])],
      rows: () => section.rows.map((row) => [row.phase, ...row.ms, ...(measured >= 0
        ? section.runs.flatMap((run, index) => (run.measured ? [] : [errorText(row, index)])) : [])]),
    },
  };
}
