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

function topologyChart(section) {
  const { nodes, links } = section.topology;
  const used = new Set(section.gpus);
  const gpuNumber = new Map(nodes.filter((node) => node.kind === "gpu").map((node, index) => [node.name, index]));
  const extent = (axis) => Math.max(...nodes.map((node) => node[axis])) - Math.min(...nodes.map((node) => node[axis]));
  const height = Math.min(900, Math.max(360, 130 * (extent("y") + 1)));
  const pairs = new Map();
  const edges = links.map((link) => {
    const pair = [link.from, link.to].sort().join("\n");
    const nth = pairs.get(pair) ?? 0;
    pairs.set(pair, nth + 1);
    return { link, nth };
  });
  const capacity = (link) => Math.max(link.forward?.capacity_GBps ?? 0, link.backward?.capacity_GBps ?? 0);
  const shape = { cpu: "roundRect", gpu: "rect", switch: "circle" };
  return {
    id: "topology",
    title: "The machine and how its links are used",
    note: "Lines are as wide as their capacity. Dark orange: at capacity, or used, for more than 60 % of the sort; " +
      "light orange: more than 25 %. Hover or step through the marks for rates in both directions.",
    height,
    canvas: nodes.length > 80,
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          if (item.dataType === "edge") {
            const { link } = edges[item.dataIndex];
            return `${escapeHtml(link.name)} (${escapeHtml(link.kind)})` +
              directionText(`${link.from} to ${link.to}`, link.forward) + directionText(`${link.to} to ${link.from}`, link.backward) +
              directionText("both directions", link.both);
          }
          const node = nodes[item.dataIndex];
          return `${escapeHtml(node.name)}${node.label ? `<br>${escapeHtml(node.label)}` : ""}`;
        },
      },
      series: [{
        id: "topology", type: "graph", layout: "none", roam: "move", left: 46, right: 46, top: 34, bottom: 34, animation: false,
        preserveAspect: false,
        data: nodes.map((node) => ({
          name: node.name, x: node.x, y: node.y, symbol: shape[node.kind],
          symbolSize: nodes.length > 120 ? 8 : node.kind === "switch" ? 24 : [Math.min(64, width / (extent("x") + 3)), 30],
          itemStyle: {
            color: node.kind === "gpu" ? (used.has(gpuNumber.get(node.name)) ? gpuColor(section.gpus.indexOf(gpuNumber.get(node.name))) : theme.ground)
              : node.kind === "cpu" ? theme.scale[1] : theme.line,
            borderColor: theme.quiet, borderWidth: 1,
          },
          label: {
            show: nodes.length <= 120, position: node.kind === "switch" ? "top" : "inside", fontSize: 11,
            color: node.kind === "gpu" && used.has(gpuNumber.get(node.name)) ? "#000000" : theme.ink,
          },
        })),
        links: edges.map(({ link, nth }) => ({
          source: link.from, target: link.to,
          lineStyle: {
            width: Math.min(9, Math.max(1.2, 0.42 * Math.sqrt(capacity(link)))), color: useColor(theme, linkUse(link)), opacity: 0.9,
            curveness: nth === 0 ? 0 : 0.12 * Math.ceil(nth / 2) * (nth % 2 === 0 ? 1 : -1),
          },
          label: {
            show: links.length <= 20 && width > 560, fontSize: 10, color: theme.ink, backgroundColor: theme.ground, padding: 1,
            formatter: () => `${trimmed(Number(Math.max(link.forward?.peak_GBps ?? 0, link.backward?.peak_GBps ?? 0).toFixed(0)))}/${trimmed(capacity(link))}`,
          },
        })),
      }],
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
  return [phasesChart(section), bottleneckChart(section), topologyChart(section), ratesChart(section), simulatedTimeline(section)];
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
