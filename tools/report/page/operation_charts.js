// Charts of a recorded multisplit, histogram or search for shortest paths.

/** More buckets than this are columns without their names, which the hover text shows. */
const namedBucketsMost = 40;
/** Strips of more would all be too narrow to see. */
const placedBucketsMost = 512;

/** "bucket 3: above 10 to 30" */
function rangeText(section, bucket) {
  const { ranges } = section.buckets;
  return `${section.operation === "histogram" ? "bin" : "bucket"} ${bucket}: ${ranges[bucket]}`;
}

/** What a histogram counts outside of its edges is grey. */
function countedColor(section, theme, bucket) {
  const outside = section.operation === "histogram" && (bucket === 0 || bucket === section.buckets.keys.length - 1);
  return outside ? theme.use[0] : okabeIto[0];
}

function countsChart(section) {
  const { keys, ranges, starts } = section.buckets;
  const named = keys.length <= namedBucketsMost;
  const even = section.keys / Math.max(1, keys.length);
  const numbers = (count, width) => namesThatFit(count, width - 82, 34);
  const bars = (theme) => keys.map((value, bucket) => ({ value, itemStyle: { color: countedColor(section, theme, bucket) } }));
  const histogram = section.operation === "histogram";
  return {
    id: "counts",
    title: histogram ? "How many samples each bin counts" : "How many keys each bucket has",
    note: histogram ? "Bins from the first edge to the last; a grey one at either end counts what lies outside of all edges."
      : `Dashed: an even share, ${formatCount(even)} of ${formatCount(section.keys)} keys.`,
    height: named ? 74 + 28 * Math.max(2, keys.length) : 340,
    canvas: !named,
    zoom: named ? "" : "x",
    empty: keys.length === 0 ? "The trace has no counts of buckets." : "",
    option: (theme, width) => {
      const counts = { type: "value", min: 0, name: "keys", nameLocation: "middle", nameGap: named ? 24 : 46, axisLabel: { formatter: (value) => formatShort(value) } };
      const line = { symbol: "none", silent: true, animation: false, label: { show: false }, lineStyle: { color: theme.strong, type: "dashed" } };
      return {
        ...baseOption(theme),
        tooltip: {
          ...baseOption(theme).tooltip,
          formatter: (item) => `${escapeHtml(rangeText(section, item.dataIndex))}<br>${formatCount(keys[item.dataIndex])} keys ` +
            `(${formatPercent(keys[item.dataIndex] / Math.max(1, section.keys))})` + (histogram ? "" : `, from index ${formatCount(starts[item.dataIndex])} on`),
        },
        grid: { left: named ? (width < 560 ? 150 : 250) : 66, right: named ? 74 : 16, top: 8, bottom: named ? 44 : 76 },
        [named ? "xAxis" : "yAxis"]: axisLook(theme, counts),
        [named ? "yAxis" : "xAxis"]: axisLook(theme, {
          type: "category", inverse: named, axisTick: { show: false }, data: !named ? indices(keys.length) : width < 560 ? ranges.map((range) => range.replace(/(?<!up) (?=up to |below |to )/, "\n")) : ranges,
          ...(named ? { axisLabel: { width: width < 560 ? 140 : 240, overflow: "truncate", hideOverlap: false, interval: 0, lineHeight: 12 } }
            : { name: histogram ? "bin" : "bucket", nameLocation: "middle", nameGap: 22, axisLabel: { hideOverlap: false, interval: numbers(keys.length, width) } }),
        }),
        dataZoom: named ? [] : zoomLook(theme, { xAxisIndex: 0 }),
        series: [{
          id: "counts", type: "bar", data: bars(theme), animation: false, barMaxWidth: 22, barCategoryGap: named ? "30%" : "10%",
          label: { show: named, position: "right", color: theme.ink, fontSize: 11, formatter: (item) => formatCount(item.value) },
          markLine: histogram ? undefined : { ...line, data: [named ? { xAxis: even } : { yAxis: even }] },
        }],
      };
    },
    update: (from, to, width) => ({ xAxis: { axisLabel: { interval: numbers(to - from + 1, width) } } }),
    table: {
      columns: [histogram ? "bin" : "bucket", "holds", "first index", "keys"],
      count: keys.length,
      rows: function* () {
        for (const bucket of keys.keys()) {
          yield [bucket, ranges[bucket], starts[bucket], keys[bucket]];
        }
      },
    },
  };
}

/** Neighbouring buckets narrower than a pixel and a half are joined: [begin, end, first bucket, buckets]. */
function placeMarks(section, pixels) {
  const { keys, starts } = section.buckets;
  const narrowest = (section.keys / pixels) * narrowestMark;
  const marks = [];
  for (const [bucket, count] of keys.entries()) {
    const open = marks.at(-1);
    if (count > 0 && open && count < narrowest && open[1] - open[0] < narrowest) {
      open[1] += count;
      open[3] += 1;
    } else if (count > 0) {
      marks.push([starts[bucket], starts[bucket] + count, bucket, 1]);
    }
  }
  return marks;
}

function renderPlace(section, theme) {
  return (params, api) => {
    const plot = params.coordSys;
    const [left, middle] = api.coord([api.value(0), 0]);
    const right = api.coord([api.value(1), 0])[0];
    const shape = { x: left, y: middle - plot.height * 0.4, width: Math.max(0.6, right - left), height: plot.height * 0.8 };
    const joined = api.value(3) > 1;
    const children = [{ type: "rect", shape, style: { fill: joined ? theme.quiet : gpuColor(api.value(2)), stroke: theme.ground, lineWidth: shape.width > 5 ? 1 : 0 } }];
    if (!joined && shape.width > 30) {
      const room = shape.width > 150 ? rangeText(section, api.value(2)) : String(api.value(2));
      children.push({
        type: "text",
        style: {
          text: room, x: shape.x + shape.width / 2, y: middle, align: "center", verticalAlign: "middle", fill: "#000000",
          stroke: "#ffffffd0", lineWidth: 3, font: "bold 11px system-ui, sans-serif", width: shape.width - 8, overflow: "truncate",
        },
      });
    }
    return { type: "group", children };
  };
}

function placesChart(section) {
  return {
    id: "places",
    title: "Where the buckets lie in the output",
    note: "The output from its first key to its last; each strip is a bucket. Grey strips are several buckets too narrow to see.",
    height: 118,
    canvas: true,
    empty: section.keys === 0 || section.buckets.keys.length === 0 ? "There are no keys to place." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const [begin, end, bucket, joined] = item.value;
          const what = joined > 1 ? `${formatCount(joined)} buckets from number ${bucket} on` : rangeText(section, bucket);
          return `${escapeHtml(what)}<br>index ${formatCount(begin)} to ${formatCount(end)} (${formatPercent((end - begin) / section.keys)})`;
        },
      },
      grid: { left: 16, right: 16, top: 6, bottom: 44 },
      xAxis: axisLook(theme, {
        type: "value", min: 0, max: section.keys, splitLine: { show: false }, axisLabel: { formatter: (value) => formatShort(value), showMaxLabel: false },
        name: "index in the output (keys)", nameLocation: "middle", nameGap: 22,
      }),
      yAxis: { type: "category", show: false, data: [""] },
      series: [{
        id: "places", type: "custom", renderItem: renderPlace(section, theme), encode: { x: [0, 1] }, animation: false, progressive: 0,
        data: placeMarks(section, Math.max(200, width - 32)),
      }],
    }),
    table: { columns: ["bucket", "holds", "first index", "keys"], rows: () => section.buckets.keys.map((count, bucket) => [bucket, section.buckets.ranges[bucket], section.buckets.starts[bucket], count]) },
  };
}

const roundLines = [["pending", 1, "waiting at its start"], ["frontier", 2, "of those, relaxed"], ["improved", 3, "vertices brought nearer"]];

function roundsChart(section) {
  const { rounds } = section;
  return {
    id: "rounds",
    title: "What each round did",
    note: "Vertices that wait when a round begins, those of them that it relaxes (the frontier), and those whose distance it lowers.",
    height: 340,
    zoom: "x",
    canvas: rounds.length > 2000,
    option: (theme) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip, trigger: "axis",
        formatter: ([item]) => {
          const [round, pending, frontier, improved, , split] = rounds[item.dataIndex];
          return `round ${round}: nearer than ${formatCount(split)}<br>${formatCount(pending)} pending, ${formatCount(frontier)} relaxed, ${formatCount(improved)} improved`;
        },
      },
      legend: legendLook(theme),
      grid: { left: 66, right: 16, top: 34, bottom: 76 },
      xAxis: axisLook(theme, { type: "category", data: rounds.map(([round]) => round), name: "round", nameLocation: "middle", nameGap: 22, boundaryGap: true }),
      yAxis: axisLook(theme, { type: "value", min: 0, name: "vertices", nameLocation: "middle", nameGap: 48, axisLabel: { formatter: (value) => formatShort(value) } }),
      dataZoom: zoomLook(theme, { xAxisIndex: 0 }),
      series: roundLines.map(([name, column], index) => ({
        id: name, name, type: "line", step: "middle", symbol: "none", animation: false, color: okabeIto[[4, 5, 2][index]],
        lineStyle: { width: 2 }, areaStyle: column === 1 ? { opacity: 0.25 } : undefined, data: rounds.map((round) => round[column]),
      })),
    }),
    table: {
      columns: ["round", "pending", "frontier", "improved", "first bucket begins at", "frontier is nearer than"],
      rows: () => rounds.map((round) => round.slice(0, 6)),
    },
  };
}

function waitingChart(section) {
  const { rounds } = section;
  const buckets = Math.max(0, ...rounds.map((round) => round[6].length));
  const cells = rounds.flatMap((round, index) => round[6].map((count, bucket) => [index, bucket, count]));
  const most = Math.max(1, ...cells.map(([, , count]) => count));
  const names = buckets === 2 ? ["near", "far"] : indices(buckets).map((bucket) => `${bucket}`);
  return {
    id: "waiting",
    title: "How far away the waiting vertices are",
    note: buckets === 2 ? "Pending vertices in each round: near ones are relaxed, far ones pile up."
      : "Pending vertices in each round, by bucket of width Delta; bucket 0 is relaxed, the last one holds all that are farther.",
    height: 124 + 22 * Math.max(2, buckets),
    canvas: cells.length > 2000,
    empty: cells.length === 0 ? "The trace has no counts of its rounds' buckets." : "",
    option: (theme) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => `round ${rounds[item.value[0]][0]}, ${buckets === 2 ? names[item.value[1]] : `bucket ${item.value[1]}`}<br>${formatCount(item.value[2])} vertices`,
      },
      grid: { left: 66, right: 16, top: 8, bottom: 98 },
      xAxis: axisLook(theme, { type: "category", data: rounds.map(([round]) => round), name: "round", nameLocation: "middle", nameGap: 22, splitLine: { show: false }, axisTick: { show: false } }),
      yAxis: axisLook(theme, { type: "category", data: names, name: buckets === 2 ? "" : "bucket", nameLocation: "middle", nameGap: 40, splitLine: { show: false }, axisTick: { show: false } }),
      visualMap: {
        type: "continuous", min: 0, max: most, orient: "horizontal", left: "center", bottom: 0,
        inRange: { color: theme.scale }, textStyle: { color: theme.quiet }, text: [`${formatCount(most)} vertices`, "0"],
      },
      series: [{ id: "waiting", type: "heatmap", data: cells, animation: false, progressive: 0, emphasis: { itemStyle: { borderColor: theme.strong, borderWidth: 2 } } }],
    }),
    table: { columns: ["round", "bucket", "vertices"], rows: () => cells.map(([round, bucket, count]) => [rounds[round][0], names[bucket], count]) },
  };
}

function operationCharts(section) {
  if (section.operation === "sssp") {
    return [roundsChart(section), waitingChart(section)];
  }
  const placed = section.operation === "multisplit" && section.buckets.keys.length <= placedBucketsMost;
  return placed ? [countsChart(section), placesChart(section)] : [countsChart(section)];
}

/** Methods that were run, as a table that is always there. */
function methodsTable(section) {
  const rows = () => section.methods.map(([name, stability, tile, output]) => [name, stability === "stable" ? "yes" : "no", tile > 0 ? tile : "none", output || "not compared"]);
  return { columns: ["method", "stable", "keys per tile", "hash of the output"], rows };
}
