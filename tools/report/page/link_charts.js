// Charts of a simulated machine's links: where they are, how busy each is, and when.

/** How busy a link's direction is: share of the run in which it is at capacity, else of its capacity used. */
function useOf(direction) {
  return direction ? Math.max(direction.saturated_share, direction.mean_GBps / direction.capacity_GBps) : 0;
}

function linkUse(link) {
  return Math.max(useOf(link.forward), useOf(link.backward), useOf(link.both));
}

/** From which use on, and what a link of that colour is called. */
const useSteps = [[0, "used up to 25 %"], [0.25, "25 to 60 %"], [0.6, "more than 60 %"]];

function useColor(theme, share) {
  return theme.use[useSteps.findLastIndex(([least]) => share > least || least === 0)];
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

/** The direction whose figures stand at the link: the one that the headline would name. */
function busierDirection(link) {
  const directions = [link.forward, link.backward].filter((direction) => direction);
  return directions.sort((a, b) => useOf(b) - useOf(a))[0] ?? { capacity_GBps: 0, peak_GBps: 0 };
}

function linkCapacity(link) {
  return busierDirection(link).capacity_GBps;
}

function linkPeak(link) {
  return busierDirection(link).peak_GBps;
}

/** As the headline writes rates: "43.0". */
function rateText(GBps) {
  return GBps < 100 ? GBps.toFixed(1) : String(Math.round(GBps));
}

function renderLink(links, theme, labelled) {
  // No limit that would make unlike links alike: the widest is the one that can carry the most.
  const most = links.reduce((GBps, link) => Math.max(GBps, linkCapacity(link)), 1);
  return (params, api) => {
    const [x1, y1] = api.coord([api.value(0), api.value(1)]);
    const [x2, y2] = api.coord([api.value(2), api.value(3)]);
    const link = links[api.value(4)];
    const lineWidth = Math.max(0.5, 9 * Math.sqrt(linkCapacity(link) / most) * Math.min(1, Math.sqrt(30 / links.length)));
    const children = [{ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: useColor(theme, linkUse(link)), lineWidth } }];
    if (labelled) {
      // Not in the middle, where those of a star would meet, and every other one further along than its neighbours.
      const share = api.value(4) % 2 === 0 ? 0.38 : 0.54;
      children.push({
        type: "text", z2: 2, x: x1 + share * (x2 - x1), y: y1 + share * (y2 - y1), // above every line
        style: {
          text: `${rateText(linkPeak(link))} / ${rateText(linkCapacity(link))}`, align: "center", verticalAlign: "middle", fontSize: 10,
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
    const fill = place >= 0 ? gpuColor(place, section.gpus.length) : node.kind === "cpu" ? theme.scale[1] : theme.ground;
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
  const { nodes, links, left_out: leftOut } = section.topology;
  const marks = topologyMarks(section.topology);
  const limits = (axis) => [Math.min(...nodes.map((node) => node[axis])), Math.max(...nodes.map((node) => node[axis]))];
  const [left, right] = limits("x");
  const [top, bottom] = limits("y");
  const labelled = links.length <= 40;
  return {
    id: "topology",
    title: "The machine and how its links are used",
    note: "The wider a line, the more it can carry. Use is the share of the sort at capacity or the share of the capacity used on average, whichever is more." +
      (labelled ? " Figures, where there is room for them, are peak / capacity in GB/s of the busier direction." : ""),
    height: Math.min(900, Math.max(320, 118 * (bottom - top + 1))),
    legend: (theme) => useSteps.map(([, label], index) => ({ label, color: theme.use[index] })),
    empty: leftOut ? `${formatCount(leftOut[0])} nodes and ${formatCount(leftOut[1])} links are too many to draw; the numbers of the links stand above.` : "",
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
        { id: "links", type: "custom", data: marks.edges, encode: { x: [0, 2], y: [1, 3] }, animation: false, progressive: 0, renderItem: renderLink(links, theme, labelled && width > 560) },
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

/** A link that is at its capacity for less of the sort limits nothing. */
const leastBottleneck = 0.01;

function bottleneckChart(section) {
  const share = (channel) => channel.saturated_ms / Math.max(1e-12, section.total_ms);
  const ranked = section.channels.slice().sort((a, b) => b.saturated_ms - a.saturated_ms || b.mean_GBps / b.capacity_GBps - a.mean_GBps / a.capacity_GBps);
  const shown = ranked.slice(0, 12);
  return {
    id: "bottlenecks",
    title: "Which link is the bottleneck",
    note: "How much of the sort each direction of a link, each memory and each GPU's HBM is at its capacity, and how much of its capacity is used on average.",
    height: 90 + 34 * Math.max(1, shown.length),
    empty: shown.length === 0 ? "Nothing is moved." : share(shown[0]) < leastBottleneck ? "No link limits this sort: none is at its capacity for 1 % of it." : "",
    tableIfEmpty: shown.length > 0,
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
      xAxis: axisLook(theme, { type: "value", min: 0, max: 100, name: "%", nameLocation: "middle", nameGap: 22 }),
      yAxis: axisLook(theme, {
        type: "category", inverse: true, data: shown.map((channel) => (width < 560 ? channel.name.replace(": ", "\n") : channel.name)), axisTick: { show: false },
        axisLabel: { width: width < 560 ? 118 : 240, overflow: "truncate", interval: 0, hideOverlap: false, ...(width < 560 && { fontSize: 10, lineHeight: 11, overflow: "break" }) },
      }),
      series: [
        { id: "saturated", name: "% of the time at capacity", type: "bar", data: shown.map((channel) => 100 * share(channel)), itemStyle: { color: theme.use[2] }, animation: false },
        { id: "mean", name: "% of the capacity on average", type: "bar", data: shown.map((channel) => (100 * channel.mean_GBps) / channel.capacity_GBps), itemStyle: { color: theme.use[0] }, animation: false },
      ],
    }),
    table: {
      columns: ["link, memory or HBM", "capacity (GB/s)", "peak (GB/s)", "mean (GB/s)", "moved (GB)", "busy (ms)", "at capacity (ms)"],
      rows: () => ranked.map((channel) => [channel.name, channel.capacity_GBps, channel.peak_GBps, channel.mean_GBps, channel.moved_GB,
        channel.busy_ms, channel.saturated_ms]),
    },
  };
}

/** Height of one link's strip, in pixels. */
const rateStrip = 64;

/** A strip for each link: lines on each other would hide all but the last. */
function ratesChart(section) {
  const { rates } = section;
  const last = rates.length - 1;
  const capacityText = (rate) => `${rate.name}, of ${trimmed(Number(rate.capacity_GBps.toPrecision(4)))} GB/s`;
  return {
    id: "rates",
    title: "The busiest links over time",
    note: "Peak rate in each three-hundredth of the sort, up to the link's capacity.",
    height: 70 + rateStrip * Math.max(1, rates.length),
    zoom: "x",
    empty: rates.length > 0 ? "" : section.channels.length === 0 ? "Nothing is moved." : "Rates over time were not kept.",
    option: (theme) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip, trigger: "axis",
        formatter: (items) => items.map((item) => `${escapeHtml(item.seriesName)}: ${trimmed(item.value[1])} GB/s`)
          .concat(`at ${formatMs(items[0].value[0])}`).join("<br>"),
      },
      axisPointer: { link: [{ xAxisIndex: "all" }] },
      title: rates.map((rate, index) => ({ text: capacityText(rate), left: 56, top: rateStrip * index, padding: 0, textStyle: { color: theme.ink, fontSize: 12, fontWeight: "normal" } })),
      grid: rates.map((_, index) => ({ left: 56, right: 16, top: rateStrip * index + 18, height: rateStrip - 24 })),
      xAxis: rates.map((_, index) => axisLook(theme, {
        type: "value", gridIndex: index, min: 0, max: section.total_ms, axisLabel: { show: index === last, showMaxLabel: false }, axisTick: { show: index === last },
        ...(index === last && { name: "ms", nameLocation: "middle", nameGap: 20 }),
      })),
      yAxis: rates.map((rate, index) => axisLook(theme, {
        type: "value", gridIndex: index, min: 0, max: rate.capacity_GBps, interval: rate.capacity_GBps, axisLabel: { showMinLabel: false, formatter: (GBps) => trimmed(Number(GBps.toPrecision(3))) },
      })),
      dataZoom: zoomLook(theme, { xAxisIndex: rates.map((_, index) => index) }),
      series: rates.map((rate, index) => ({
        id: `rate${index}`, name: rate.name, type: "line", step: "end", showSymbol: false, animation: false, color: okabeIto[index % okabeIto.length],
        xAxisIndex: index, yAxisIndex: index, lineStyle: { width: 1.5 }, areaStyle: { opacity: 0.45 }, data: rate.points,
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
