// Charts of one planned or recorded sort.

/** "GPU 3", or "GPUs 8-15" where GPUs are shown in blocks. A profile's GPUs have the machine's numbers. */
function blockName(matrix, index, section) {
  const numbers = section.kind === "profile" ? section.gpus : null;
  const first = index * matrix.block;
  const last = Math.min(first + matrix.block, section.gpu_count) - 1;
  const [from, to] = numbers ? [numbers[first], numbers[last]] : [first, last];
  return first === last ? `GPU ${from}` : `GPUs ${from}-${to}`;
}

function matrixCell(matrix, source, destination) {
  return matrix.keys[source * matrix.size + destination];
}

function indices(count) {
  return Array.from({ length: count }, (_, index) => index);
}

/** Parts of every GPU's memory: [begin, end, row, colour GPU, other GPU]. */
function memoryParts(matrix, afterSwap) {
  const parts = [];
  for (const owner of indices(matrix.size)) {
    let position = 0;
    for (const other of indices(matrix.size)) {
      const keys = afterSwap ? matrixCell(matrix, other, owner) : matrixCell(matrix, owner, other);
      if (keys > 0) {
        parts.push([position, position + keys, owner, afterSwap ? owner : other, other]);
        position += keys;
      }
    }
  }
  return parts;
}

function renderPart(theme, count) {
  return (params, api) => {
    const start = api.coord([api.value(0), api.value(2)]);
    const end = api.coord([api.value(1), api.value(2)]);
    const height = Math.max(1, api.size([0, 1])[1] * 0.74);
    const width = Math.max(end[0] - start[0], 0.5);
    return {
      type: "rect", shape: { x: start[0], y: start[1] - height / 2, width, height },
      style: { fill: gpuColor(api.value(3), count), stroke: theme.ground, lineWidth: count <= coloursOfGpusMost && width > 3 && height > 4 ? 1 : 0 },
    };
  };
}

function swapChart(section) {
  const { matrix } = section;
  const names = indices(matrix.size).map((index) => blockName(matrix, index, section));
  const most = Math.max(1, ...[true, false].flatMap((after) => memoryParts(matrix, after).map((part) => part[1])));
  const height = Math.min(720, 110 + 32 * Math.max(6, matrix.size));
  const series = (theme, id, after, axis) => ({
    id, type: "custom", renderItem: renderPart(theme, matrix.size), xAxisIndex: axis, yAxisIndex: axis, encode: { x: [0, 1], y: 2 },
    data: memoryParts(matrix, after), progressive: 0, animation: false,
  });
  return {
    id: "swap",
    title: "Each GPU's memory before and after the key swap",
    note: "Each strip goes from one GPU to another, and has the colour of the one that owns it in the end.",
    height,
    canvas: matrix.size > 16,
    empty: sum(matrix.keys) === 0 ? "No keys were copied, or no copies were recorded." : "",
    option: (theme, width) => {
      const stacked = width < 560;
      const rows = stacked ? Math.floor((height - 112) / 2) : height - 52; // pixels of a grid
      const axis = (index) => ({
        type: "category", inverse: true, data: names, gridIndex: index, axisTick: { show: false },
        axisLabel: { show: stacked || index === 0, hideOverlap: false, interval: namesThatFit(names.length, rows, 14) },
      });
      const value = (index, name) => axisLook(theme, {
        type: "value", gridIndex: index, min: 0, max: most, name, nameLocation: "middle", nameGap: 22,
        axisLabel: { formatter: (keys) => formatShort(keys), showMaxLabel: false }, splitNumber: 3, minInterval: 1,
      });
      const base = baseOption(theme);
      return {
        ...base,
        tooltip: {
          ...base.tooltip, trigger: "item",
          formatter: (item) => {
            const [begin, end, owner, , other] = item.value;
            const words = item.seriesId === "after" ? `owned by ${names[owner]}, came from ${names[other]}`
              : `held by ${names[owner]}, belongs to ${names[other]}`;
            return `${formatCount(end - begin)} keys<br>${words}`;
          },
        },
        grid: stacked
          ? [{ left: 92, right: 12, top: 8, height: rows }, { left: 92, right: 12, bottom: 44, height: rows }]
          : [{ left: 92, width: "41%", top: 8, bottom: 44 }, { right: 16, width: "41%", top: 8, bottom: 44 }],
        xAxis: [value(0, "before (keys)"), value(1, "after (keys)")],
        yAxis: [axisLook(theme, axis(0)), axisLook(theme, axis(1))],
        series: [series(theme, "before", false, 0), series(theme, "after", true, 1)],
      };
    },
    table: {
      columns: ["side", "GPU", "other GPU", "from (key)", "to (key)", "keys"],
      rows: function* () {
        for (const after of [false, true]) {
          for (const [begin, end, owner, , other] of memoryParts(matrix, after)) {
            yield [after ? "after, came from" : "before, belongs to", names[owner], names[other], begin, end, end - begin];
          }
        }
      },
    },
  };
}

/** A size with three digits: "125 MB". */
function threeDigits(size, unit) {
  return formatShort(Number(size.toPrecision(3)), unit);
}

/** Milliseconds of the slowest GPU's key swap, where the run has times. */
function swapDuration(section) {
  return Math.max(0, ...section.times.filter((time) => time[1] === "key swap").map((time) => time[4] - time[3]));
}

function matrixChart(section) {
  const { matrix } = section;
  const names = indices(matrix.size).map((index) => blockName(matrix, index, section));
  const bytes = matrix.keys.map((keys) => keys * section.element_bytes);
  const shades = { min: 0, max: bytes.reduce((most, size) => Math.max(most, size), 1) };
  const duration = swapDuration(section);
  const rate = (size) => (duration > 0 ? size / duration / 1e6 : null);
  const cells = bytes.map((size, cell) => [cell % matrix.size, Math.floor(cell / matrix.size), size]);
  // Narrow cells leave the unit to the corner.
  const [scale, letter] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]].find(([size]) => size === 1 || Math.max(...bytes) >= size);
  const inUnit = (size) => String(Number((size / scale).toPrecision(3)));
  const height = Math.min(640, 120 + Math.max(3, matrix.size) * 32);
  return {
    id: "matrix",
    title: "Transfer matrix",
    note: "Rows send, columns receive; the diagonal stays where it is." +
      (matrix.block > 1 ? ` Each row and column is ${matrix.block} GPUs.` : "") +
      (duration > 0 ? ` Rates (when you point at a cell) are over the ${formatMs(duration)} of the key swap.` : ""),
    height,
    canvas: matrix.size > 32,
    empty: sum(matrix.keys) === 0 ? "No keys were copied, or no copies were recorded." : "",
    option: (theme, width) => {
      const cell = (width - 98) / matrix.size; // pixels
      const figures = matrix.size > 16 || cell < 24 ? "none" : cell >= 52 ? "with unit" : "without";
      return {
        ...baseOption(theme),
        tooltip: {
          ...baseOption(theme).tooltip,
          formatter: (item) => {
            const [destination, source, size] = item.value;
            const speed = duration > 0 ? `, ${trimmed(rate(size))} GB/s` : "";
            return `${names[source]} to ${names[destination]}<br>${formatCount(size)} B (${formatShort(size, "B")})${speed}`;
          },
        },
        grid: { left: 92, right: 20, top: 34, bottom: 62 },
        xAxis: axisLook(theme, {
          type: "category", data: cell < 44 ? names.map((name) => name.replace(/^GPUs? /, "")) : names, position: "top", splitLine: { show: false }, axisTick: { show: false },
          axisLabel: { hideOverlap: false, interval: namesThatFit(names.length, width - 112, cell < 44 ? (matrix.block > 1 ? 52 : 24) : 44) },
        }),
        yAxis: axisLook(theme, {
          type: "category", data: names, inverse: true, splitLine: { show: false }, axisTick: { show: false },
          axisLabel: { hideOverlap: false, interval: namesThatFit(names.length, height - 96, 14) },
          ...(figures === "without" && { name: `${letter}B`, nameLocation: "start", nameGap: 14, nameTextStyle: { align: "right", color: theme.quiet } }),
        }),
        visualMap: {
          type: "continuous", ...shades, orient: "horizontal", left: "center", bottom: 0, inRange: { color: theme.scale }, textStyle: { color: theme.quiet },
          text: [shades.max, shades.min].map((size) => threeDigits(size, "B")),
        },
        series: [{
          id: "matrix", type: "heatmap", animation: false,
          data: cells.map((value) => ({ value, label: { color: inkOn(theme, (value[2] - shades.min) / (shades.max - shades.min)) } })), progressive: 0,
          itemStyle: { borderColor: theme.ground, borderWidth: matrix.size > 32 ? 0 : 1 },
          label: {
            show: figures !== "none", fontSize: figures === "without" ? 10 : 11, textBorderWidth: 0,
            formatter: (item) => (figures === "without" ? inUnit(item.value[2]) : threeDigits(item.value[2], "B")),
          },
          emphasis: { itemStyle: { borderColor: theme.strong, borderWidth: 2 } },
        }],
      };
    },
    table: {
      columns: ["source", "destination", "keys", "size (B)", "rate (GB/s)"],
      rows: function* () {
        for (const [destination, source, size] of cells) {
          yield [names[source], names[destination], matrixCell(matrix, source, destination), size,
            duration > 0 ? Number(rate(size).toPrecision(4)) : "no times"];
        }
      },
    },
  };
}

/** The matrix in at most `most` blocks: a Sankey of more cannot be read. */
function coarser(matrix, gpuCount, most) {
  const factor = Math.ceil(matrix.size / most);
  const size = Math.ceil(matrix.size / factor);
  const keys = new Array(size * size).fill(0);
  for (const source of indices(matrix.size)) {
    for (const destination of indices(matrix.size)) {
      keys[Math.floor(source / factor) * size + Math.floor(destination / factor)] += matrixCell(matrix, source, destination);
    }
  }
  return { size, block: matrix.block * factor, keys };
}

function sankeyChart(section) {
  const matrix = coarser(section.matrix, section.gpu_count, 16);
  const names = indices(matrix.size).map((index) => blockName(matrix, index, section));
  const links = matrix.keys.map((keys, cell) => ({
    source: `from ${names[Math.floor(cell / matrix.size)]}`, target: `to ${names[cell % matrix.size]}`, value: keys,
  })).filter((link) => link.value > 0);
  const used = new Set(links.flatMap((link) => [link.source, link.target]));
  const nodes = indices(matrix.size).flatMap((index) => [
    { name: `from ${names[index]}`, depth: 0, itemStyle: { color: gpuColor(index) } },
    { name: `to ${names[index]}`, depth: 1, itemStyle: { color: gpuColor(index) } },
  ]).filter((node) => used.has(node.name));
  return {
    id: "sankey",
    title: "From which GPU to which",
    note: "Left: where keys are before the swap; right: where they belong.",
    height: Math.min(560, 90 + Math.max(3, matrix.size) * 36),
    empty: links.length === 0 ? "No keys were copied, or no copies were recorded." : "",
    option: (theme) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => (item.dataType === "edge"
          ? `${item.data.source} ${item.data.target}<br>${formatCount(item.data.value)} keys`
          : `${escapeHtml(item.name)}: ${formatCount(item.value)} keys`),
      },
      series: [{
        id: "sankey", type: "sankey", left: 8, right: section.gpu_count > 16 ? 112 : 92, top: 10, bottom: 10, nodeGap: 6, layoutIterations: 0, draggable: false,
        data: nodes, links, label: { color: theme.ink }, lineStyle: { color: "source", opacity: 0.38, curveness: 0.5 }, animation: false,
        emphasis: { focus: "adjacency" },
      }],
    }),
    table: {
      columns: ["source", "destination", "keys"],
      rows: () => links.map((link) => [link.source, link.target, link.value]),
    },
  };
}

/** Of fewer keys a GPU an even share is not a measure: one key more or less is many percent. */
const keysOfABar = 100;

function balanceChart(section) {
  const owners = section.gpus.filter((gpu) => gpu.keys !== undefined);
  const chunk = Math.max(1, section.chunk);
  const excess = owners.map((gpu) => (gpu.keys / chunk - 1) * 100);
  const bound = ((2 * section.tolerance) / chunk) * 100;
  const few = section.keys < keysOfABar * section.gpu_count;
  // Even shares show where they might have been: the band of what is promised, above and below which there is room.
  const spread = Math.max(0.1, bound, ...excess.map(Math.abs));
  const limits = roundLimits(Math.min(-0.2 * spread, ...excess), Math.max(1.1 * bound, 0.2 * spread, ...excess), 6);
  const names = (count, width) => namesThatFit(count, width - 152, width < 560 ? 26 : 58);
  return {
    id: "balance",
    title: "Balance: keys that each GPU owns",
    note: `An even share is ${formatCount(section.chunk)} keys; the sort promises at most ${formatCount(section.chunk + 2 * section.tolerance)}.`,
    height: 260,
    canvas: owners.length > 128,
    zoom: owners.length > 64 ? "x" : "",
    empty: owners.length === 0 ? "The run does not say who owns what."
      : few ? `Fewer than ${keysOfABar} keys per GPU: too few for bars.` : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const gpu = owners[item.dataIndex];
          return `GPU ${gpu.gpu} owns ${formatCount(gpu.keys)} keys<br>${trimmed(Math.abs(excess[item.dataIndex]))} % ${excess[item.dataIndex] < 0 ? "less" : "more"} than an even share<br>` +
            `${formatCount(gpu.received)} received, ${formatCount(gpu.sent)} sent`;
        },
      },
      grid: { left: 62, right: 90, top: 16, bottom: owners.length > 64 ? 68 : 44 },
      xAxis: axisLook(theme, {
        type: "category", data: owners.map((gpu) => (width < 560 ? gpu.gpu : `GPU ${gpu.gpu}`)), axisLine: { onZero: false },
        ...(width < 560 && { name: "GPU", nameLocation: "middle", nameGap: 24 }),
        axisLabel: { hideOverlap: false, margin: belowCorner, interval: names(owners.length, width) },
      }),
      yAxis: axisLook(theme, {
        type: "value", name: "% over an even share", nameLocation: "middle", nameGap: 46, ...limits, axisLabel: { formatter: (value) => trimmed(value) },
      }),
      dataZoom: owners.length > 64 ? zoomLook(theme, { xAxisIndex: 0 }) : [],
      series: [{
        id: "balance", type: "bar", barMaxWidth: 46, animation: false, large: false,
        data: excess.map((value, index) => ({ value, itemStyle: { color: gpuColor(owners[index].gpu, section.gpu_count) } })),
        markLine: {
          symbol: "none", silent: true, animation: false, lineStyle: { color: theme.strong, type: "dashed" },
          label: { color: theme.ink, position: "end", formatter: "{b}" },
          data: [{ yAxis: 0, name: "even share" }, { yAxis: bound, name: "at most" }],
        },
        markArea: { silent: true, animation: false, itemStyle: { color: theme.line, opacity: 0.6 }, data: [[{ yAxis: 0 }, { yAxis: bound }]] },
      }],
    }),
    update: (from, to, width) => ({ xAxis: { axisLabel: { interval: names(to - from + 1, width) } } }),
    tableIfEmpty: few,
    table: {
      columns: ["GPU", "device number", "first key", "keys", "over an even share (%)", "keys sent", "keys received", "sorts", "fewest bits", "most bits"],
      rows: () => section.gpus.map((gpu) => [gpu.gpu, gpu.number, gpu.base ?? "not said", gpu.keys ?? "not said",
        gpu.keys === undefined ? "not said" : Number(((gpu.keys / chunk - 1) * 100).toPrecision(4)),
        gpu.sent, gpu.received, gpu.sorts, gpu.bits_min, gpu.bits_max]),
    },
  };
}

/** A bar on a timeline: value = [begin, end, row, ...]. */
function renderSpan(color, theme) {
  return (params, api) => {
    const plot = params.coordSys;
    const start = api.coord([api.value(0), api.value(2)]);
    const end = api.coord([api.value(1), api.value(2)]);
    const x = Math.max(start[0], plot.x);
    const width = Math.max(Math.min(end[0], plot.x + plot.width) - x, 0.5);
    const height = Math.max(1, api.size([0, 1])[1] * 0.72);
    if (x > plot.x + plot.width || end[0] < plot.x) {
      return null;
    }
    return {
      type: "rect", shape: { x, y: start[1] - height / 2, width, height },
      style: { fill: color(params.dataIndex), stroke: theme.ground, lineWidth: width > 4 && height > 4 ? 1 : 0 },
    };
  };
}

function legendOfPhases(phases) {
  return () => phases.map((phase) => ({ label: phase, color: phaseColor(phase, phases) }));
}

function recordedTimeline(section) {
  const { times } = section;
  const phases = [...new Set(times.map((time) => time[1]))];
  const end = Math.max(0, ...times.map((time) => time[4]));
  const spans = times.map(([gpu, , , begin, stop]) => [begin, stop, gpu]);
  return {
    id: "timeline",
    title: "Timeline as recorded",
    note: "When each GPU was in which phase.",
    height: Math.min(700, 90 + 26 * Math.max(2, section.gpu_count)),
    canvas: times.length > 2000,
    zoom: "x",
    legend: legendOfPhases(phases),
    empty: times.length === 0 ? "This trace has no times, so there is no timeline." : "",
    option: (theme) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const [gpu, phase, pass, begin, stop] = times[item.dataIndex];
          return `GPU ${gpu}: ${escapeHtml(phase)}${pass > 0 ? `, pass ${pass}` : ""}<br>${formatMs(begin)} to ${formatMs(stop)} (${formatMs(stop - begin)})`;
        },
      },
      grid: { left: 62, right: 16, top: 8, bottom: 62 },
      xAxis: axisLook(theme, { type: "value", min: 0, max: end, name: "ms", nameLocation: "middle", nameGap: 20, axisLabel: { showMaxLabel: false } }),
      yAxis: axisLook(theme, { type: "category", inverse: true, data: indices(section.gpu_count).map((gpu) => `GPU ${gpu}`), axisTick: { show: false } }),
      dataZoom: zoomLook(theme, { xAxisIndex: 0 }),
      series: [{
        id: "timeline", type: "custom", data: spans, encode: { x: [0, 1], y: 2 }, animation: false, progressive: 0, clip: true,
        renderItem: renderSpan((index) => phaseColor(times[index][1], phases), theme),
      }],
    }),
    table: {
      columns: ["GPU", "phase", "pass", "begin (ms)", "end (ms)", "duration (ms)"],
      rows: () => times.map(([gpu, phase, pass, begin, stop]) => [gpu, phase, pass, begin, stop, stop - begin]),
    },
  };
}

/** Only what has something to say: one GPU swaps nothing, a merge sort has no buckets, a plan no times. */
function runCharts(section) {
  const partitioned = section.passes.length > 0;
  const several = section.gpu_count > 1 && section.keys > 0;
  return [
    ...(partitioned || section.keys === 0 ? [bucketChart(section)] : []),
    ...(partitioned && several ? [balanceChart(section), swapChart(section)] : []),
    ...(several ? [matrixChart(section), sankeyChart(section)] : []),
    ...(section.recorded || section.times.length > 0 ? [recordedTimeline(section)] : []),
  ];
}

/** Buckets that forced another pass, as a table that is always there. */
function spanningTable(section) {
  const rows = section.passes.flatMap((pass) => pass.not_placed.map((bucket) => [
    pass.pass, bucket.prefix, bucket.end - bucket.begin, bucket.share, `GPUs ${bucket.first} to ${bucket.last}`,
    bucket.cut ? "one key value, cut at the borders" : "refined by the next pass",
  ]));
  return { columns: ["pass", "bucket", "keys", "share", "spans", "then"], rows: () => rows };
}
