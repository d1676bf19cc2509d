// Where the keys go: every bucket of every pass on one axis of the sorted order. Buckets too narrow
// to see are drawn together until the reader zooms in.

/** Narrower buckets than this many pixels are joined with their neighbours. */
const narrowestMark = 1.5;
/** What crosses a border is never narrower than this: 71 of them are seen on a phone. Of hundreds of GPUs they would hide all else. */
const narrowestSpanning = (gpus) => (gpus <= 128 ? 2 : 0.6);
/** Borders that stand closer than this, in pixels, would be a grid over the buckets. */
const narrowestBorders = 8;

/** Index of the first bucket that ends after `position`. */
function firstEndingAfter(buckets, position) {
  let low = 0;
  let high = buckets.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (buckets.end[middle] <= position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * What is drawn of a pass between two positions on so many pixels: [begin, end, row, first bucket,
 * buckets joined, owner (-1: several), state]. Buckets across borders are never joined with others.
 */
function bucketMarks(buckets, row, from, to, pixels) {
  const narrowest = ((to - from) / pixels) * narrowestMark;
  const marks = [];
  let open = null;
  for (let i = firstEndingAfter(buckets, from); i < buckets.count && buckets.begin[i] < to; ++i) {
    const placed = buckets.state[i] === 0;
    const wide = buckets.end[i] - buckets.begin[i] >= narrowest;
    if (open && placed && !wide && open[1] - open[0] < narrowest && open[1] === buckets.begin[i]) {
      open[1] = buckets.end[i];
      open[4] += 1;
      open[5] = open[5] === buckets.first[i] ? open[5] : -1;
      continue;
    }
    const mark = [buckets.begin[i], buckets.end[i], row, i, 1, buckets.first[i], buckets.state[i]];
    open = placed && !wide ? mark : null;
    marks.push(mark);
  }
  return marks;
}

function bucketTooltip(section, passes, mark) {
  const [begin, end, row, index, joined, owner, state] = mark;
  const pass = section.passes[row];
  const buckets = passes(row);
  const share = formatPercent((end - begin) / Math.max(1, section.keys));
  const range = `keys ${formatCount(begin)} to ${formatCount(end)} of the sorted order (${share})`;
  if (joined > 1) {
    return `Pass ${pass.pass}: ${formatCount(joined)} buckets from ${bucketText(pass, buckets, index)} on<br>${range}` +
      "<br>zoom in to see each";
  }
  const goes = state === 0 ? `goes to GPU ${owner}`
    : `spans GPU ${owner} to ${buckets.last[index]}: ` +
      (state === 1 ? "refined by the next pass" : "one key value, cut at the borders");
  return `Pass ${pass.pass}, bucket ${bucketText(pass, buckets, index)}<br>${range}<br>${goes}`;
}

/** Chunk borders and, where they can be seen, the tolerance bands around them. \param width of all keys, in pixels */
function borderSeries(section, theme, width) {
  const room = width / Math.max(1, section.gpu_count);
  const borders = [];
  const bands = [];
  const names = [];
  for (let gpu = 0; gpu < section.gpu_count; ++gpu) {
    const border = (gpu + 1) * section.chunk;
    if (room > 18 && gpu * section.chunk < section.keys) { // whose even share is not empty
      names.push([
        { name: room > 44 ? `GPU ${gpu}` : `${gpu}`, xAxis: gpu * section.chunk, itemStyle: { color: "transparent" } },
        { xAxis: Math.min(border, section.keys) },
      ]);
    }
    if (border < section.keys && room >= narrowestBorders) {
      borders.push({ xAxis: border });
      bands.push([
        { xAxis: border - section.tolerance, itemStyle: { color: theme.strong, opacity: 0.16 } },
        { xAxis: border + section.tolerance },
      ]);
    }
  }
  return {
    id: "borders", type: "line", data: [], silent: true,
    markLine: {
      symbol: "none", silent: true, animation: false, label: { show: false }, data: borders,
      lineStyle: { color: theme.strong, type: "dashed", width: 1, opacity: section.gpu_count > 32 ? 0.35 : 0.9 },
    },
    markArea: {
      silent: true, animation: false, data: names.concat(bands),
      label: { color: theme.ink, position: "top", fontSize: 11, distance: 3 },
    },
  };
}

function renderBucket(theme, label, count) {
  return (params, api) => {
    const plot = params.coordSys;
    const [left, middle] = api.coord([api.value(0), api.value(2)]);
    const right = api.coord([api.value(1), api.value(2)])[0];
    const state = api.value(6);
    const x = Math.max(left, plot.x);
    const width = Math.max(Math.min(right, plot.x + plot.width) - x, state === 0 ? 0.6 : narrowestSpanning(count));
    const height = api.size([0, 1])[1] * (state === 0 ? 0.56 : 0.86);
    const shape = { x, y: middle - height / 2, width, height };
    const owner = api.value(5);
    const style = state === 0
      ? { fill: owner < 0 ? theme.quiet : gpuColor(owner, count), stroke: theme.ground, lineWidth: width > 5 ? 1 : 0 }
      : { fill: width > 6 ? theme.line : theme.quiet, stroke: theme.quiet, lineWidth: width > 24 ? 2 : width > 6 ? 1 : 0 };
    const children = [{ type: "rect", shape, style }];
    if (state !== 0 && width > 84) {
      children.push({
        type: "text",
        style: {
          text: label(api.value(2), api.value(3)), x: x + width / 2, y: middle, align: "center",
          verticalAlign: "middle", fill: theme.ink, font: "bold 11px monospace", width: width - 8, overflow: "truncate",
        },
      });
    }
    return { type: "group", children };
  };
}

function bucketChart(section) {
  // A pass of many buckets comes with an overview, and is decoded when the reader looks closer.
  const kept = [];
  const decoded = (row) => (kept[row] ??= decodePass(section.passes[row]));
  const label = (row, index) => bucketText(section.passes[row], decoded(row), index);
  const marksOf = (row, from, to, pixels) => {
    const { overview } = section.passes[row];
    return overview && !kept[row] && from <= 0 && to >= section.keys
      ? overview.map(([begin, end, index, joined, owner, state]) => [begin, end, row, index, joined, owner, state])
      : bucketMarks(decoded(row), row, from, to, pixels);
  };
  // What crosses a border is drawn last, over its neighbours.
  const marksIn = (from, to, pixels) => section.passes.flatMap((pass, row) => marksOf(row, from, to, pixels))
    .sort((a, b) => (a[6] === 0 ? 0 : 1) - (b[6] === 0 ? 0 : 1));
  let look; // the theme that is drawn
  const total = sum(section.passes.flatMap((pass) => pass.groups.map((group) => group.count)));
  return {
    id: "buckets",
    title: "Where the keys go: buckets by pass",
    note: "The sorted order from the first key to the last; colours are GPUs, and tall grey buckets cross a border between two of them. " +
      "The next pass refines those; what crosses a border after the last pass is one key value, and is cut there. " +
      `Dashed lines are the borders of even shares, with the tolerance E of ${formatCount(section.tolerance)} keys shaded around them. ` +
      `${formatCount(total)} buckets in all; zoom in to see those that are drawn together, and the GPUs' numbers where there is no room for them.`,
    height: 120 + 62 * Math.max(1, section.passes.length),
    canvas: true,
    zoom: "x",
    empty: total === 0 ? "No pass partitioned any keys, so there are no buckets to show." : "",
    option: (theme, width) => ((look = theme), {
      ...baseOption(theme),
      tooltip: { ...baseOption(theme).tooltip, trigger: "item", formatter: (item) => bucketTooltip(section, decoded, item.value) },
      grid: { left: 58, right: 16, top: 26, bottom: 62 },
      xAxis: axisLook(theme, {
        type: "value", min: 0, max: section.keys, splitLine: { show: false },
        minInterval: 1, axisLabel: { formatter: (value) => formatShort(value), showMaxLabel: false },
        name: "place in the sorted order (keys)", nameLocation: "middle", nameGap: 24,
      }),
      yAxis: axisLook(theme, {
        type: "category", inverse: true, data: section.passes.map((pass) => `pass ${pass.pass}`), axisTick: { show: false },
      }),
      dataZoom: zoomLook(theme, { xAxisIndex: 0, minSpan: 0 }),
      series: [
        {
          id: "buckets", type: "custom", renderItem: renderBucket(theme, label, section.gpu_count), encode: { x: [0, 1], y: 2 },
          data: marksIn(0, section.keys, Math.max(200, width - 74)), animation: false, progressive: 0, clip: true,
        },
        borderSeries(section, theme, width - 74),
      ],
    }),
    /** What a reader may ask for next. */
    prepare: () => section.passes.forEach((pass, row) => decoded(row)),
    /** New marks for what is visible now. */
    update: (from, to, width) => ({
      series: [
        { id: "buckets", data: marksIn(from, to, Math.max(200, width - 74)) },
        borderSeries(section, look, ((width - 74) * section.keys) / Math.max(1, to - from)),
      ],
    }),
    table: {
      columns: ["pass", "bucket", "begin (key)", "end (key)", "keys", "first GPU", "last GPU", "state"],
      count: total,
      rows: function* () {
        for (const row of section.passes.keys()) {
          const buckets = decoded(row);
          for (let i = 0; i < buckets.count; ++i) {
            yield [section.passes[row].pass, bucketText(section.passes[row], buckets, i), buckets.begin[i], buckets.end[i],
              buckets.end[i] - buckets.begin[i], buckets.first[i], buckets.last[i], bucketStates[buckets.state[i]]];
          }
        }
      },
    },
  };
}
