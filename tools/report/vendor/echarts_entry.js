// The parts of ECharts that the report uses; build-vendor bundles them into echarts.min.js.
import * as echarts from "echarts/core";
import {
  BarChart, CustomChart, GraphChart, HeatmapChart, LineChart, SankeyChart, ScatterChart,
} from "echarts/charts";
import {
  AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent,
  MarkLineComponent, TitleComponent, TooltipComponent, VisualMapComponent,
} from "echarts/components";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

echarts.use([
  BarChart, CustomChart, GraphChart, HeatmapChart, LineChart, SankeyChart, ScatterChart,
  AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent,
  MarkLineComponent, TitleComponent, TooltipComponent, VisualMapComponent,
  CanvasRenderer, SVGRenderer,
]);

export const init = echarts.init;
export const version = echarts.version;
