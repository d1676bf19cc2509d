// What went wrong in a sort that Keyswap does not know: where the keys of a wrong output belong.

/** Of a column: [x, lowest place, highest place, whether a key is wrong], all of it in percent of the places. */
function failureColumns(section) {
  const { columns } = section.failure;
  return columns.map(([lowest, highest, wrong], index) => [(100 * (index + 0.5)) / columns.length, lowest / 10, highest / 10, wrong ? 1 : 0]);
}

/** No column is drawn thinner or lower than this many pixels. */
const leastColumn = 3;

function renderColumn(theme, count) {
  return (params, api) => {
    const top = api.coord([api.value(0), api.value(2)]);
    const bottom = api.coord([api.value(0), api.value(1)]);
    const width = Math.max(leastColumn, api.size([100 / count, 0])[0]);
    const height = Math.max(leastColumn, bottom[1] - top[1]);
    const middle = (top[1] + bottom[1]) / 2;
    return {
      type: "rect", shape: { x: top[0] - width / 2, y: middle - height / 2, width, height },
      style: { fill: api.value(3) ? theme.use[2] : theme.scale[2] },
    };
  };
}

function failureChart(section) {
  const columns = failureColumns(section);
  const { smallest } = section.failure;
  const percent = (value) => `${trimmed(Number(value.toFixed(1)))} %`;
  return {
    id: "failure",
    title: `Where the output's keys belong${smallest ? `, of the failure with ${smallest[0].split(", of ")[0]}` : ""}`,
    note: "Each column is a stretch of the output, drawn over the places at which its keys belong. Of a sorted output all lie on the diagonal; columns with a wrong key are red.",
    height: 340,
    option: (theme) => {
      const base = baseOption(theme);
      const axis = (name, more) => axisLook(theme, {
        type: "value", min: 0, max: 100, name, nameLocation: "middle", axisLabel: { formatter: "{value} %" }, ...more,
      });
      return {
        ...base,
        tooltip: {
          ...base.tooltip, trigger: "item",
          formatter: ({ value: [x, low, high, wrong] }) => `place in the output: ${percent(x)}<br>its keys belong at ${percent(low)} to ${percent(high)}<br>${wrong ? "not all are right" : "all are right"}`,
        },
        grid: { left: 64, right: 16, top: 10, bottom: 46 },
        xAxis: axis("place in the output", { nameGap: 26 }),
        yAxis: axis("where its keys belong", { nameGap: 44 }),
        series: [
          { id: "right", type: "line", silent: true, symbol: "none", lineStyle: { color: theme.quiet, width: 1, type: "dashed" }, data: [[0, 0], [100, 100]], tooltip: { show: false } },
          { id: "columns", type: "custom", renderItem: renderColumn(theme, columns.length), encode: { x: 0, y: [1, 2] }, data: columns, progressive: 0, animation: false },
        ],
      };
    },
    table: {
      columns: ["place in the output (%)", "lowest place of its keys (%)", "highest (%)", "wrong"],
      count: columns.length,
      rows: () => columns.map(([x, low, high, wrong]) => [Number(x.toFixed(2)), low, high, wrong ? "yes" : "no"]),
    },
  };
}

function failureCharts(section) {
  return section.failure.columns.length > 0 ? [failureChart(section)] : [];
}

/** The first wrong keys, and the commands that make the failure again. */
function failureElements(section) {
  const { places, repeat, smallest } = section.failure;
  const elements = [];
  if (places.length > 0) {
    elements.push(make("h3", {}, "The first wrong keys"), make("ul", { class: "places" }, ...places.map((place) => make("li", {}, place))));
  }
  if (repeat) {
    elements.push(make("h3", {}, "Repeat the failure"), make("pre", { class: "repeat" }, repeat));
  }
  if (smallest) {
    const [keys, command] = smallest;
    elements.push(make("h3", {}, "Repeat it with the fewest keys that were found to fail"), make("p", { class: "note" }, keys), make("pre", { class: "repeat" }, command));
  }
  return elements;
}
