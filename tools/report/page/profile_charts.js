// Charts of a run that a profiler recorded.

/** Names in the picture; the table has all. */
const namesMost = 16;

function busyChart(section) {
  const { busy } = section;
  const kinds = [["kernels", 1, phaseColor("sort")], ["copies and fills", 2, phaseColor("key swap")], ["busy with either", 3, okabeIto[7]]];
  const share = (ms) => (100 * ms) / Math.max(1e-12, section.total_ms);
  return {
    id: "busy",
    title: "How busy each GPU is",
    note: "Share of the recorded time in which at least one kernel, or one copy or fill, runs. Copies and kernels may overlap: then the third bar is shorter than the first two together.",
    height: 84 + 46 * Math.max(1, busy.length),
    empty: busy.length === 0 ? "The recording has no work of GPUs." : "",
    option: (theme) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => `GPU ${busy[item.dataIndex][0]}, ${escapeHtml(item.seriesName)}<br>${formatMs(busy[item.dataIndex][kinds[item.seriesIndex][1]])} of ${formatMs(section.total_ms)}`,
      },
      legend: legendLook(theme),
      grid: { left: 62, right: 56, top: 30, bottom: 40 },
      xAxis: axisLook(theme, { type: "value", min: 0, max: 100, name: "% of the recorded time", nameLocation: "middle", nameGap: 22 }),
      yAxis: axisLook(theme, { type: "category", inverse: true, data: busy.map(([gpu]) => `GPU ${gpu}`), axisTick: { show: false } }),
      series: kinds.map(([name, column, color]) => ({
        id: name, name, type: "bar", animation: false, color, data: busy.map((row) => share(row[column])),
        label: { show: busy.length <= 16, position: "right", color: theme.ink, fontSize: 11, formatter: (item) => `${trimmed(Number(item.value.toPrecision(3)))} %` },
      })),
    }),
    table: { columns: ["GPU", "kernels (ms)", "copies and fills (ms)", "busy (ms)"], rows: () => busy },
  };
}

function namesChart(section) {
  const work = section.names.filter(([, kind]) => kind !== "NVTX range");
  const shown = work.slice(0, namesMost);
  return {
    id: "names",
    title: "Where the GPUs' time goes",
    note: "All calls of a kernel or kind of copy, on all GPUs together, the longest first." +
      (work.length > shown.length ? ` ${shown.length} of ${formatCount(work.length)}; the table has more, and the NVTX ranges.` : ""),
    height: 84 + 26 * Math.max(1, shown.length),
    empty: shown.length === 0 ? "The recording has no work of GPUs." : "",
    option: (theme, width) => ({
      ...baseOption(theme),
      tooltip: {
        ...baseOption(theme).tooltip,
        formatter: (item) => {
          const [name, kind, calls, ms, bytes] = shown[item.dataIndex];
          return `${escapeHtml(name)} (${kind})<br>${formatMs(ms)} in ${formatCount(calls)} ${calls === 1 ? "call" : "calls"}` +
            (bytes > 0 ? `<br>${formatShort(bytes, "B")}, ${trimmed(bytes / ms / 1e6)} GB/s on average` : "");
        },
      },
      grid: { left: width < 560 ? 128 : 250, right: 70, top: 8, bottom: 40 },
      xAxis: axisLook(theme, { type: "value", min: 0, name: "ms", nameLocation: "middle", nameGap: 22 }),
      yAxis: axisLook(theme, {
        type: "category", inverse: true, data: shown.map(([name]) => name), axisTick: { show: false },
        axisLabel: { width: width < 560 ? 118 : 240, overflow: "truncate", hideOverlap: false, interval: 0 },
      }),
      series: [{
        id: "names", type: "bar", animation: false,
        data: shown.map(([, kind, , ms]) => ({ value: ms, itemStyle: { color: kind === "kernel" ? phaseColor("sort") : phaseColor("key swap") } })),
        label: { show: true, position: "right", color: theme.ink, fontSize: 11, formatter: (item) => formatMs(Number(item.value.toPrecision(3))) },
      }],
    }),
    table: { columns: ["name", "kind", "calls", "time (ms)", "size (B)"], rows: () => section.names },
  };
}

/** Bytes of all copies from one GPU to another. The chart is the one of a sort's keys. */
function copiesMatrix(section) {
  const chart = matrixChart({ ...section, element_bytes: 1, times: [] });
  const { matrix } = section;
  return {
    ...chart,
    title: "Transfer matrix of the copies between GPUs",
    note: "Rows send, columns receive." + (matrix.block > 1 ? ` ${matrix.block} GPUs a row.` : ""),
    empty: sum(matrix.keys) === 0 ? "No copies go from one GPU to another, or the recording does not say between which." : "",
    table: {
      columns: ["source", "destination", "size (B)"],
      rows: () => matrix.keys.map((bytes, cell) => [blockName(matrix, Math.floor(cell / matrix.size), section),
        blockName(matrix, cell % matrix.size, section), bytes]),
    },
  };
}
