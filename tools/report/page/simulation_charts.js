// Charts of a simulated sort, and of phases of several runs beside each other.

/** How busy a link's direction is: share of the run in which it is at capacity, else of its capacity used. */
function useOf(direction) {
  return direction ? Math.max(direction.saturated_share, direction.mean_GBps / direction.capacity_GBps) : 0;
}

function linkUse(link) {
  return Math.max(useOf(link.forward), useOf(link.backward), useOf(link.both));
}

function useColor(theme, share) {
  return share > 0.6 ? theme.use[2] : share > 0.25 ? theme.use[1] : theme.use[0];
}

function directionText(name, direction) {
  return direction && direction.moved_GB > 0
    ? `<br>${escapeHtml(name)}: mean ${trimmed(direction.mean_GBps)} of ${trimmed(direction.capacity_GBps)} GB/s, at capacity ` +
      `${formatPercent(direction.saturated_share)} of the time, ${trimmed(direction.moved_GB)} GB in all`
    : "";
}

/** Links as [x, y of one end, x, y of the other, index] in the drawing's steps, then nodes as [x, y, x, y, index]. */
function topologyMarks({ nodes, links }) {
  const place = new Map(nodes.map((node) => [node.name, node]));
  const between = new Map();
  const edges = links.flatMap((link, index) => {
    const [from, to] = [place.get(link.from), place.get(link.to)];
    if (!from || !to) {
      return [];
    }
    // Links between the same two nodes are drawn beside each other.
    const pair = [link.from, link.to].sort().join("\n");
    const nth = between.get(pair) ?? 0;
    between.set(pair, nth + 1);
    const shift = 0.14 * Math.ceil(nth / 2) * (nth % 2 === 0 ? 1 : -1);
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const [across, along] = [((from.y - to.y) / length) * shift, ((to.x - from.x) / length) * shift];
    return [[from.x + across, from.y + along, to.x + across, to.y + along, index]];
  });
  return { edges, nodes: nodes.map((node, index) => [node.x, node.y, node.x, node.y, index]) };
}

function linkCapacity(link) {
  return Math.max(link.forward?.capacity_GBps ?? 0, link.backward?.capacity_GBps ?? 0);
}

function linkPeak(link) {
  return Math.max(link.forward?.peak_GBps ?? 0, link.backward?.peak_GBps ?? 0);
}

function renderLink(links, theme, labelled) {
  return (params, api) => {
    const [x1, y1] = api.coord([api.value(0), api.value(1)]);
    const [x2, y2] = api.coord([api.value(2), api.value(3)]);
    const link = links[api.value(4)];
    const lineWidth = Math.min(9, Math.max(1.4, 0.42 * Math.sqrt(linkCapacity(link)))) * Math.min(1, Math.sqrt(30 / links.length));
    const children = [{ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: useColor(theme, linkUse(link)), lineWidth } }];
    if (labelled) {
      // Nearer to the end that has fewer neighbours, so that labels of a star do not meet in its middle.
      children.push({
        type: "text", x: x1 + 0.45 * (x2 - x1), y: y1 + 0.45 * (y2 - y1),
        style: {
          text: `${Math.round(linkPeak(link))} / ${Math.round(linkCapacity(link))}`, align: "center", verticalAlign: "middle", fontSize: 10,
          fill: theme.ink, backgroundColor: theme.ground, padding: [1, 2],
        },
      });
    }
    return { type: "group", children };
  };
}

function renderNode(section, theme, size) {
  const { nodes } = section.topology;
  const gpuNumber = new Map(nodes.filter((node) => node.kind === "gpu").map((node, index) => [node.name, index]));
  return (params, api) => {
    const [x, y] = api.coord([api.value(0), api.value(1)]);
    const node = nodes[api.value(4)];
    const place = node.kind === "gpu" ? section.gpus.indexOf(gpuNumber.get(node.name)) : -1;
    const fill = place >= 0 ? gpuColor(place) : node.kind === "cpu" ? theme.scale[1] : theme.ground;
    const style = { fill, stroke: theme.quiet, lineWidth: 1 };
    const box = node.kind === "switch"
      ? { type: "circle", shape: { cx: x, cy: y, r: Math.min(9, size / 4) }, style }
      : { type: "rect", shape: { x: x - size / 2, y: y - 14, width: size, height: 28, r: node.kind === "cpu" ? 8 : 2 }, style };
    const above = node.kind === "switch";
    const text = {
      type: "text", x, y: above ? y - 13 : y, silent: true,
      style: {
        text: node.name, align: "center", verticalAlign: above ? "bottom" : "middle", fontSize: 11, fill: place >= 0 ? "#000000" : theme.ink,
        ...(above ? { backgroundColor: theme.ground, padding: [1, 2] } : { width: size - 4, overflow: "truncate" }),
      },
    };
    return { type: "group", children: size >= 26 ? [box, text] : [box] };
  };
}

function topologyChart(section) {
  const { nodes, links } = section.topology;
  const marks = topologyMarks(section.topology);
  const limits = (axis) => [Math.min(...nodes.map((node) => node[axis])), Math.max(...nodes.map((node) => node[axis]))];
  const [left, right] = limits("x");
  const [top, bottom] = limits("y");
  return {
    id: "topology",
    title: "The machine and how its links are used",
    note: "Lines are as wide as their capacity. Dark orange: at capacity, or used, for more than 60 % of the sort; " +
      "light orange: more than 25 %. Figures are peak / capacity in GB/s of the busier direction.",
    height: Math.min(900, Math.max(320, 118 * (bottom - top + 1))),
    canvas: nodes.length + links.length > 300,
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          if (item.seriesId === "links") {
            const link = links[item.value[4]];
            return `${escapeHtml(link.name)} (${escapeHtml(link.kind)})` +
              directionText(`${link.from} to ${link.to}`, link.forward) + directionText(`${link.to} to ${link.from}`, link.backward) +
              directionText("both directions", link.both);
          }
          const node = nodes[item.value[4]];
          return `${escapeHtml(node.name)}${node.label ? `<br>${escapeHtml(node.label)}` : ""}`;
        },
      },
      grid: { left: 44, right: 44, top: 30, bottom: 24 },
      xAxis: { type: "value", show: false, min: left, max: right > left ? right : left + 1 },
      yAxis: { type: "value", show: false, inverse: true, min: top, max: bottom > top ? bottom : top + 1 },
      series: [
        { id: "links", type: "custom", data: marks.edges, encode: { x: [0, 2], y: [1, 3] }, animation: false, progressive: 0, renderItem: renderLink(links, theme, links.length <= 40 && width > 560) },
        {
          id: "nodes", type: "custom", data: marks.nodes, encode: { x: [0, 2], y: [1, 3] }, animation: false, progressive: 0, z: 3,
          renderItem: renderNode(section, theme, Math.min(66, (0.86 * (width - 88)) / Math.max(1, right - left))),
        },
      ],
    }),
    table: {
      columns: ["link", "kind", "direction", "capacity (GB/s)", "mean (GB/s)", "peak (GB/s)", "moved (GB)", "at capacity (share of time)"],
      rows: function* () {
        for (const link of links) {
          const directions = [[`${link.from} to ${link.to}`, link.forward], [`${link.to} to ${link.from}`, link.backward], ["both", link.both]];
          for (const [name, direction] of directions) {
            if (direction) {
              yield [link.name, link.kind, name, direction.capacity_GBps, direction.mean_GBps, direction.peak_GBps, direction.moved_GB,
                direction.saturated_share];
            }
          }
        }
      },
    },
  };
}

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

/** To whom each GPU sends at what time: a column of one colour is many GPUs sending to one. */
function swapOrderChart(section) {
  const { streams, rows, phases } = section.tasks;
  const place = new Map(section.gpus.map((gpu, index) => [gpu, index]));
  const copies = rows.filter((row) => phases[row[1]] === "key swap" && row[6] >= 0 && place.has(streams[row[0]].gpu) && place.has(row[6]));
  const begin = Math.min(...copies.map((row) => row[3]));
  const marks = joinedCopies(copies.map((row) => [row[3] - begin, row[4] - begin, place.get(streams[row[0]].gpu), place.get(row[6]), row[5], row[7]]));
  const end = Math.max(...marks.map((mark) => mark[1]));
  return {
    id: "swap-order",
    title: "Key swap: to whom each GPU sends",
    note: "Each row is a GPU that sends; the colour says to which GPU. Where a column has one colour, all send to the same GPU at once " +
      "and share its link (incast); a good order shows all colours at any time.",
    height: Math.min(640, 84 + 28 * Math.max(2, section.gpus.length)),
    canvas: marks.length > 1500,
    zoom: "x",
    legend: section.gpus.length <= 16 ? section.gpus.map((gpu, index) => ({ label: `to GPU ${gpu}`, color: gpuColor(index) })) : undefined,
    empty: marks.length === 0 ? "No copies go from GPU to GPU, or they are too many to be drawn one by one." : "",
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
        renderItem: renderSpan((index) => gpuColor(marks[index][3]), theme),
      }],
    }),
    table: {
      columns: ["source GPU", "destination GPU", "begin (ms)", "end (ms)", "size (B)", "copies", "rate (GB/s)"],
      rows: () => marks.map(([start, stop, source, destination, bytes, count]) => [section.gpus[source], section.gpus[destination], start, stop, bytes, count,
        bytes / (stop - start) / 1e6]),
    },
  };
}

function bottleneckChart(section) {
  const share = (channel) => channel.saturated_ms / Math.max(1e-12, section.total_ms);
  const ranked = section.channels.slice().sort((a, b) => b.saturated_ms - a.saturated_ms || b.mean_GBps / b.capacity_GBps - a.mean_GBps / a.capacity_GBps);
  const shown = ranked.slice(0, 12);
  return {
    id: "bottlenecks",
    title: "Which link is the bottleneck",
    note: "Share of the sort's time in which a link's direction, a memory or a GPU's HBM is at its capacity, the busiest first; " +
      "the lighter bar is the part of its capacity that is used on average.",
    height: 90 + 34 * Math.max(1, shown.length),
    empty: shown.length === 0 ? "Nothing is moved." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const channel = shown[item.dataIndex];
          return `${escapeHtml(channel.name)}<br>at capacity ${formatPercent(share(channel))} of the time<br>mean ${trimmed(channel.mean_GBps)}, ` +
            `peak ${trimmed(channel.peak_GBps)} of ${trimmed(channel.capacity_GBps)} GB/s`;
        },
      },
      legend: legendLook(theme),
      grid: { left: width < 560 ? 128 : 250, right: 24, top: 30, bottom: 40 },
      xAxis: axisLook(theme, { type: "value", min: 0, max: 100, name: "% of the sort's time, % of the capacity", nameLocation: "middle", nameGap: 22 }),
      yAxis: axisLook(theme, {
        type: "category", inverse: true, data: shown.map((channel) => channel.name), axisTick: { show: false },
        axisLabel: { width: width < 560 ? 118 : 240, overflow: "truncate", hideOverlap: false },
      }),
      series: [
        { id: "saturated", name: "at capacity", type: "bar", data: shown.map((channel) => 100 * share(channel)), itemStyle: { color: theme.use[2] }, animation: false },
        { id: "mean", name: "mean use", type: "bar", data: shown.map((channel) => (100 * channel.mean_GBps) / channel.capacity_GBps), itemStyle: { color: theme.use[0] }, animation: false },
      ],
    }),
    table: {
      columns: ["link, memory or HBM", "capacity (GB/s)", "peak (GB/s)", "mean (GB/s)", "moved (GB)", "busy (ms)", "at capacity (ms)"],
      rows: () => ranked.map((channel) => [channel.name, channel.capacity_GBps, channel.peak_GBps, channel.mean_GBps, channel.moved_GB,
        channel.busy_ms, channel.saturated_ms]),
    },
  };
}

function ratesChart(section) {
  return {
    id: "rates",
    title: "The busiest links over time",
    note: "Peak rate in each three-hundredth of the sort, as a part of the link's capacity.",
    height: 300,
    zoom: "x",
    empty: section.rates.length === 0 ? "Rates over time were not kept." : "",
    option: (theme) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip, trigger: "axis",
        formatter: (items) => items.map((item) => `${escapeHtml(item.seriesName)}: ${trimmed((item.value[1] / 100) * section.rates[item.seriesIndex].capacity_GBps)} GB/s`)
          .concat(`at ${formatMs(items[0].value[0])}`).join("<br>"),
      },
      legend: legendLook(theme),
      grid: { left: 62, right: 16, top: 34, bottom: 62 },
      xAxis: axisLook(theme, { type: "value", min: 0, max: section.total_ms, name: "ms", nameLocation: "middle", nameGap: 20, axisLabel: { showMaxLabel: false } }),
      yAxis: axisLook(theme, { type: "value", min: 0, max: 100, name: "% of capacity", nameLocation: "middle", nameGap: 40 }),
      dataZoom: zoomLook(theme, { xAxisIndex: 0 }),
      series: section.rates.map((rate, index) => ({
        id: `rate${index}`, name: rate.name, type: "line", step: "end", showSymbol: false, animation: false, color: okabeIto[index],
        lineStyle: { width: 2, type: ["solid", "dashed", "dotted"][index % 3] },
        data: rate.points.map(([ms, GBps]) => [ms, (100 * GBps) / rate.capacity_GBps]),
      })),
    }),
    table: {
      columns: ["link", "time (ms)", "rate (GB/s)"],
      rows: function* () {
        for (const rate of section.rates) {
          for (const [ms, GBps] of rate.points) {
            yield [rate.name, ms, GBps];
          }
        }
      },
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

function simulatedTimeline(section) {
  const { streams, rows, phases } = section.tasks;
  const { order, spans, firstRow } = timelineRows(section);
  const names = order.map((stream) => (stream.gpu === null ? stream.name : `GPU ${stream.gpu} ${stream.name.replace(/^gpu ?\d+:? ?/i, "")}`));
  const used = [...new Set(rows.map((row) => phases[row[1]]))];
  const arrowsIn = (from, to) => {
    const copies = rows.flatMap((row, index) => (row[6] >= 0 && firstRow.has(row[6]) && row[3] < to && row[4] > from
      ? [[row[3], row[4], spans[index][2], firstRow.get(row[6])]] : []));
    return copies.length <= arrowsMost ? copies : [];
  };
  const joined = section.tasks.exact_count > rows.length;
  return {
    id: "timeline",
    title: "Timeline by GPU and stream",
    note: "What every stream does when. Copies between GPUs are arrows to the GPU that receives, shown as soon as no more than " +
      `${arrowsMost} are in view: zoom into the key swap.` +
      (joined ? ` ${formatCount(section.tasks.exact_count)} tasks are drawn as ${formatCount(rows.length)}: those of one phase that follow each other are one.` : ""),
    height: Math.min(900, 90 + 17 * Math.max(4, order.length)),
    canvas: rows.length > 600,
    zoom: "x",
    legend: legendOfPhases(used),
    empty: rows.length === 0 ? "Nothing is done." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const [stream, phase, pass, begin, end, bytes, destination, tasks] = rows[item.dataIndex];
          return `${escapeHtml(streams[stream].name)}: ${escapeHtml(phases[phase])}${pass > 0 ? `, pass ${pass}` : ""}<br>` +
            `${formatMs(begin)} to ${formatMs(end)} (${formatMs(end - begin)})` +
            (bytes > 0 ? `<br>${formatShort(bytes, "B")}, ${trimmed(bytes / (end - begin) / 1e6)} GB/s` : "") +
            (destination >= 0 ? ` to GPU ${destination}` : "") + (tasks > 1 ? `<br>${formatCount(tasks)} tasks` : "");
        },
      },
      grid: { left: width < 560 ? 92 : 148, right: 16, top: 8, bottom: 62 },
      xAxis: axisLook(theme, { type: "value", min: 0, max: section.total_ms, name: "ms", nameLocation: "middle", nameGap: 20, axisLabel: { showMaxLabel: false } }),
      yAxis: axisLook(theme, {
        type: "category", inverse: true, data: names, axisTick: { show: false },
        axisLabel: { width: width < 560 ? 84 : 138, overflow: "truncate", fontSize: 11 },
      }),
      dataZoom: zoomLook(theme, { xAxisIndex: 0 }),
      series: [
        {
          id: "timeline", type: "custom", data: spans, encode: { x: [0, 1], y: 2 }, animation: false, progressive: 0, clip: true,
          renderItem: renderSpan((index) => phaseColor(phases[rows[index][1]], used), theme),
        },
        { id: "arrows", type: "custom", silent: true, data: arrowsIn(0, section.total_ms), encode: { x: [0, 1], y: [2, 3] }, renderItem: renderArrow(theme), animation: false, clip: true, z: 5 },
      ],
    }),
    update: (from, to) => ({ series: [{ id: "timeline" }, { id: "arrows", data: arrowsIn(from, to) }] }),
    table: {
      columns: ["stream", "phase", "pass", "begin (ms)", "end (ms)", "size (B)", "to GPU", "tasks"],
      count: rows.length,
      rows: function* () {
        for (const [stream, phase, pass, begin, end, bytes, destination, tasks] of rows) {
          yield [streams[stream].name, phases[phase], pass, begin, end, bytes, destination < 0 ? "" : destination, tasks];
        }
      },
    },
  };
}

function phaseName(phase) {
  return phase.pass > 0 ? `${phase.phase}, pass ${phase.pass}` : phase.phase;
}

function phasesChart(section) {
  const names = section.phases.map(phaseName);
  return {
    id: "phases",
    title: "Phases",
    note: "From a phase's first task on any GPU to its last; phases may overlap.",
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
      xAxis: axisLook(theme, { type: "value", min: 0, max: section.total_ms, name: "ms", nameLocation: "middle", nameGap: 22, axisLabel: { showMaxLabel: false } }),
      yAxis: axisLook(theme, { type: "category", inverse: true, data: names, axisTick: { show: false } }),
      series: [{
        id: "phases", type: "custom", animation: false, encode: { x: [0, 1], y: 2 },
        data: section.phases.map((phase, row) => [phase.begin_ms, phase.end_ms, row]),
        renderItem: renderSpan((index) => phaseColor(section.phases[index].phase), theme),
      }],
    }),
    table: {
      columns: ["phase", "pass", "begin (ms)", "end (ms)", "duration (ms)"],
      rows: () => section.phases.map((phase) => [phase.phase, phase.pass, phase.begin_ms, phase.end_ms, phase.end_ms - phase.begin_ms]),
    },
  };
}

function simulationCharts(section) {
  return [phasesChart(section), bottleneckChart(section), topologyChart(section), ratesChart(section), swapOrderChart(section),
    simulatedTimeline(section)];
}

/** The one measured run, if there is exactly one: errors are against it. */
function measuredRun(section) {
  const measured = section.runs.flatMap((run, index) => (run.measured ? [index] : []));
  return measured.length === 1 ? measured[0] : -1;
}

function comparisonChart(section) {
  const measured = measuredRun(section);
  const errorText = (row, run) => {
    const truth = measured >= 0 && run !== measured ? row.ms[measured] : 0;
    const error = truth > 0 ? row.ms[run] / truth - 1 : 0;
    return truth > 0 && row.ms[run] > 0 ? `${error >= 0 ? "+" : "-"}${formatPercent(Math.abs(error))}` : "";
  };
  return {
    id: "comparison",
    title: "How long each phase takes",
    note: "A phase lasts as long as on its slowest GPU; phases may overlap, so they need not add up to the total." +
      (measured >= 0 ? " The figures on the bars are errors against the measured run." : ""),
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
      xAxis: axisLook(theme, { type: "value", name: "ms", nameLocation: "middle", nameGap: 22 }),
      yAxis: axisLook(theme, { type: "category", inverse: true, data: section.rows.map((row) => row.phase), axisTick: { show: false } }),
      series: section.runs.map((run, index) => ({
        id: `run${index}`, name: run.name, type: "bar", animation: false, color: okabeIto[index % okabeIto.length],
        data: section.rows.map((row) => row.ms[index]),
        label: {
          show: true, position: "right", color: theme.ink, fontSize: 11,
          formatter: (item) => (measured >= 0 && index !== measured ? errorText(section.rows[item.dataIndex], index) : item.value > 0 ? trimmed(Number(item.value.toPrecision(3))) : ""),
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
