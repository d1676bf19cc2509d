#include "tools/report/figures/figure.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/report/sections/varint_text.hpp"
#include "tools/text/bucket_name.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace keyswap::tools {

namespace {

constexpr char const* nothing_copied =
    "No keys go from one GPU to another, or no copies were recorded.";

constexpr char const* no_passes = "No pass partitioned any keys.";

/// Smaller buckets than 1/2000 of a pass's keys are merged when drawn; a page can zoom in.
constexpr double marks_per_pass = 2000.0;

/// Minimum width of a spanning bucket: 1/250 of the axis.
constexpr double spanning_per_width = 250.0;

/// Limit for drawing borders between GPUs, which would otherwise hide the buckets.
constexpr std::size_t borders_most = 128;

/// A bucket of a pass; positions in keys of the sorted order.
struct Bucket {
    std::string name;
    std::size_t row = 0;   ///< row of the table
    std::size_t count = 1; ///< including merged neighbours
    double begin = 0.0;
    double end = 0.0;
    std::size_t first = 0; ///< first GPU
    std::size_t last = 0;
    int state = 0; ///< 0 placed, 1 spanning, 2 cut
};

std::vector<Bucket> buckets_of(Json const& pass) {
    std::vector<Bucket> buckets;
    for (Json const& group : pass.at("groups")) {
        VarintReader reader(group.at("buckets").get<std::string>());
        auto at = number(group, "begin");
        std::int64_t first = 0;
        std::uint64_t digit = 0;
        auto const bits = pass.at("bits").get<int>();
        auto const wide = pass.at("bits_wide").get<int>();
        int const bits_read = (pass.at("pass").get<int>() - 1) * wide + bits;
        std::uint64_t const parent = std::stoull(group.at("parent").get<std::string>());
        for (std::size_t i = 0; i < group.at("count").get<std::size_t>(); ++i) {
            Bucket bucket;
            digit += reader.next();
            bucket.name = group.contains("names") ? group["names"].at(i).get<std::string>()
                                                  : digits_name((parent << bits) | digit++,
                                                                bits_read,
                                                                pass.at("bits_below").get<int>());
            at += static_cast<double>(reader.next_signed());
            bucket.begin = at;
            at += static_cast<double>(reader.next());
            bucket.end = at;
            std::int64_t const code = reader.next_signed();
            bucket.state = static_cast<int>(code & 3);
            first += (code - bucket.state) / 4;
            bucket.first = static_cast<std::size_t>(std::max<std::int64_t>(0, first));
            bucket.last = bucket.first + (bucket.state == 0 ? 0 : reader.next());
            buckets.push_back(bucket);
        }
    }
    return buckets;
}

/// Merges neighbouring buckets of one GPU that are too narrow to see.
std::vector<Bucket> joined_buckets(std::vector<Bucket> const& buckets, double narrowest) {
    std::vector<Bucket> joined;
    for (Bucket const& bucket : buckets) {
        bool const narrow = bucket.state == 0 && bucket.end - bucket.begin < narrowest;
        if (narrow && !joined.empty() && joined.back().state == 0 &&
            joined.back().end == bucket.begin && joined.back().first == bucket.first &&
            joined.back().end - joined.back().begin < narrowest) {
            joined.back().end = bucket.end;
            joined.back().count += 1;
        } else {
            joined.push_back(bucket);
        }
    }
    // Spanning and cut buckets are drawn last, over their neighbours.
    std::ranges::stable_sort(joined, {}, [](Bucket const& bucket) { return bucket.state != 0; });
    return joined;
}

/// Look of a GPU; neighbouring GPUs differ, also in greyscale.
Look gpu_look(std::size_t gpu, std::size_t gpus) {
    return look_of(gpu / gpus_per_group(gpus));
}

/// Areas of each GPU's memory, by destination before and by source after the swap.
std::vector<Mark> memory_marks(GpuMatrix const& matrix, bool after) {
    std::vector<Mark> marks;
    bool const is_named = !after && matrix.block == 1; // no room for names of groups
    for (std::size_t row = 0; row < matrix.size; ++row) {
        double at = 0.0;
        for (std::size_t other = 0; other < matrix.size; ++other) {
            double const keys = after ? matrix.at(other, row) : matrix.at(row, other);
            if (keys > 0.0) {
                marks.push_back(
                    of_rows(area_mark(look_of(after ? row : other),
                                      at,
                                      as_double(row) - 0.38,
                                      at + keys,
                                      as_double(row) + 0.38,
                                      is_named ? std::to_string(other) : ""),
                            after ? other * matrix.size + row : row * matrix.size + other));
                at += keys;
            }
        }
    }
    return marks;
}

} // namespace

Figure buckets_figure(Json const& run) {
    std::string const title = "Where the keys go: buckets by pass";
    auto const keys = number(run, "keys");
    auto const gpus = run.at("gpu_count").get<std::size_t>();
    auto const chunk = number(run, "chunk");
    Panel panel{"", exact_axis("place in the sorted order (keys)", std::max(1.0, keys)), {}, 0.0};
    std::vector<std::string> names;
    FigureTable table{
        {"pass", "bucket", "begin (key)", "end (key)", "keys", "first GPU", "last GPU", "state"},
        {}};
    constexpr std::array<char const*, 3> states{"placed", "spanning", "cut"};
    for (Json const& pass : run.at("passes")) {
        double const row = as_double(names.size());
        names.push_back("pass " + pass.at("pass").dump());
        std::vector<Bucket> buckets = buckets_of(pass);
        for (Bucket& bucket : buckets) {
            bucket.row = table.rows.size();
            table.rows.push_back({pass.at("pass"),
                                  bucket.name,
                                  bucket.begin,
                                  bucket.end,
                                  bucket.end - bucket.begin,
                                  bucket.first,
                                  bucket.last,
                                  states.at(static_cast<std::size_t>(bucket.state))});
        }
        for (Bucket const& bucket : joined_buckets(buckets, keys / marks_per_pass)) {
            double const half = bucket.state == 0 ? 0.28 : 0.43;
            Look const look =
                bucket.state == 0 ? gpu_look(bucket.first, gpus) : Look{palette().quiet};
            // Spanning buckets get a minimum width for small screens, unless there are too many
            // GPUs.
            bool const narrow = bucket.state != 0 && gpus <= borders_most &&
                                bucket.end - bucket.begin < keys / spanning_per_width;
            double const middle = (bucket.begin + bucket.end) / 2.0;
            double const least = keys / spanning_per_width / 2.0;
            panel.marks.push_back(of_rows(area_mark(look,
                                                    narrow ? middle - least : bucket.begin,
                                                    row - half,
                                                    narrow ? middle + least : bucket.end,
                                                    row + half),
                                          bucket.row,
                                          bucket.count));
        }
    }
    if (table.rows.empty()) {
        return empty_figure(title, no_passes);
    }
    panel.zoomable = true;
    panel.y = name_axis(names);
    panel.height = 34.0 * as_double(names.size());
    for (std::size_t gpu = 1; gpu < gpus && gpus <= borders_most; ++gpu) {
        double const border = as_double(gpu) * chunk;
        if (border < keys) {
            panel.marks.push_back(limit_mark(
                Look{palette().ink}, border, -0.5, border, as_double(names.size()) - 0.5));
        }
    }
    Plot plot{{panel}};
    add_gpu_legend(plot, Json::object(), gpus, "");
    plot.legend.push_back({Mark::Kind::area, "crosses a border", {palette().quiet}});
    if (gpus <= borders_most) {
        plot.legend.push_back({Mark::Kind::limit, "border of even shares", {palette().ink}});
    }
    return plotted(
        title,
        "The sorted order from the first key to the last. Tall grey buckets cross a border between "
        "GPUs: "
        "the next pass refines them, and what crosses one after the last pass is cut there.",
        std::move(plot),
        std::move(table));
}

Figure balance_figure(Json const& run) {
    std::string const title = "Balance: keys that each GPU owns";
    auto const chunk = std::max(1.0, number(run, "chunk"));
    double const tolerance = 200.0 * number(run, "tolerance") / chunk;
    FigureTable table{{"GPU", "keys", "over an even share (%)", "keys sent", "keys received"}, {}};
    std::vector<std::string> names;
    double low = 0.0;
    double high = tolerance;
    for (Json const& gpu : run.at("gpus")) {
        if (!gpu.contains("keys")) {
            continue;
        }
        double const excess = 100.0 * (number(gpu, "keys") / chunk - 1.0);
        names.push_back(gpu.at("gpu").dump());
        low = std::min(low, excess);
        high = std::max(high, excess);
        table.rows.push_back(
            {gpu.at("gpu"), gpu.at("keys"), excess, gpu.at("sent"), gpu.at("received")});
    }
    if (names.size() < 2 || run.at("passes").empty()) {
        return empty_figure(title,
                            names.empty()       ? "The run does not say who owns what."
                            : names.size() == 1 ? "One GPU owns all keys."
                                                : no_passes);
    }
    if (number(run, "keys") < 100.0 * number(run, "gpu_count")) {
        Figure figure = empty_figure(title, "Fewer than 100 keys per GPU: too few for bars.");
        figure.table = std::move(table);
        return figure;
    }
    // Minimum range, so that even shares show what imbalance would look like.
    double const spread = std::max({high, -low, 0.1});
    Panel panel{"",
                name_axis(names),
                linear_axis("% over an even share", low < 0.0 ? low : -0.2 * spread, 1.1 * spread),
                120.0};
    panel.y.signs = true;
    panel.x.title = "GPU";
    double const end = as_double(names.size()) - 0.5;
    Plot plot;
    if (tolerance > 0.0) {
        Look const band{palette().band};
        panel.marks.push_back(area_mark(band, -0.5, 0.0, end, tolerance));
        plot.legend.push_back({Mark::Kind::area,
                               "promised: at most " + printed("%.3g", tolerance) + " % more",
                               band});
    }
    double const least = 0.008 * spread; // minimum height, so that 0 is visible
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        auto const excess = table.rows[row][2].get<double>();
        auto const [from, to] =
            std::abs(excess) < least ? std::pair{-least, least} : std::pair{0.0, excess};
        double const place = as_double(row);
        panel.marks.push_back(
            of_rows(area_mark(look_of(0), place - 0.36, from, place + 0.36, to), row));
    }
    panel.marks.push_back(limit_mark(Look{palette().ink}, -0.5, 0.0, end, 0.0));
    plot.legend.push_back(
        {Mark::Kind::limit,
         "even share: " + grouped_count(run.at("chunk").get<std::uint64_t>()) + " keys",
         {palette().ink}});
    plot.panels.push_back(std::move(panel));
    return plotted(title,
                   "Bars are against an even share; the band is what the sort promises.",
                   std::move(plot),
                   std::move(table));
}

Figure swap_figure(Json const& run) {
    std::string const title = "Each GPU's memory before and after the key swap";
    GpuMatrix const matrix = matrix_of(run, gpus_drawn_max);
    FigureTable table{{"source", "destination", "keys"}, {}};
    double most = 0.0;
    for (std::size_t source = 0; source < matrix.size; ++source) {
        double sent = 0.0;
        double received = 0.0;
        for (std::size_t other = 0; other < matrix.size; ++other) {
            sent += matrix.at(source, other);
            received += matrix.at(other, source);
            table.rows.push_back(
                {matrix.names[source], matrix.names[other], matrix.at(source, other)});
        }
        most = std::max({most, sent, received});
    }
    if (most == 0.0 || matrix.size < 2 || run.at("passes").empty()) {
        return empty_figure(title, run.at("passes").empty() ? no_passes : nothing_copied);
    }
    Plot plot;
    for (bool const after : {false, true}) {
        Panel panel{after ? "After: who owns them"
                          : "Before: to whom they belong, in the colours of the rows below",
                    exact_axis("keys", most),
                    name_axis(matrix.names),
                    13.0 * as_double(matrix.size)};
        panel.marks = memory_marks(matrix, after);
        plot.panels.push_back(std::move(panel));
    }
    return plotted(title,
                   "Each strip goes from one GPU to another, and has the colour of the one that "
                   "owns it in the end.",
                   std::move(plot),
                   std::move(table));
}

Figure matrix_figure(Json const& section) {
    std::string const title = "Transfer matrix";
    GpuMatrix const matrix = matrix_of(section, 72);
    double const unit = section.value("element_bytes", 1.0);
    double const most = *std::ranges::max_element(matrix.amounts) * unit;
    if (most <= 0.0 || matrix.size < 2) {
        return empty_figure(
            title,
            section.at("kind") == "profile"
                ? "No data is copied from one GPU to another, or the recording does not "
                  "say between which."
                : nothing_copied);
    }
    std::vector<std::string> columns;
    for (std::string const& name : matrix.names) {
        columns.push_back(name.substr(name.find(' ') + 1));
    }
    double const cell = std::clamp(230.0 / as_double(matrix.size), 3.0, 20.0);
    Panel panel{"", name_axis(columns), name_axis(matrix.names), cell * as_double(matrix.size)};
    // One unit for all cells: narrow cells have no room for units.
    auto const [unit_bytes, unit_name] = most >= 1e12  ? std::pair{1e12, "TB"}
                                         : most >= 1e9 ? std::pair{1e9, "GB"}
                                         : most >= 1e6 ? std::pair{1e6, "MB"}
                                         : most >= 1e3 ? std::pair{1e3, "kB"}
                                                       : std::pair{1.0, "B"};
    panel.y.title = "sends";
    panel.x.title = "receives";
    panel.x.title += matrix.size <= gpus_drawn_max ? std::string(" (") + unit_name + ")" : "";
    FigureTable table{{"source", "destination", "size (B)"}, {}};
    // With many small cells, extends each cell below the next two to avoid visible gaps.
    auto const [across, down, below] =
        matrix.size <= gpus_drawn_max ? std::tuple{0.49, 0.47, 0.0} : std::tuple{0.5, 0.5, 0.1};
    for (std::size_t source = 0; source < matrix.size; ++source) {
        for (std::size_t other = 0; other < matrix.size; ++other) {
            double const bytes = unit * matrix.at(source, other);
            auto const [x, y] = std::pair{as_double(other), as_double(source)};
            panel.marks.push_back(of_rows(area_mark(Look{shade(bytes / most)},
                                                    x - across,
                                                    y - down,
                                                    x + across + below,
                                                    y + down + below,
                                                    matrix.size <= gpus_drawn_max
                                                        ? significant_text(bytes / unit_bytes, 3)
                                                        : ""),
                                          table.rows.size()));
            table.rows.push_back({matrix.names[source], matrix.names[other], bytes});
        }
    }
    Plot plot{{std::move(panel)}, {}, ShadeLegend{"0 B", size_text(most)}};
    return plotted(title,
                   "Rows send, columns receive. The scale begins at zero.",
                   std::move(plot),
                   std::move(table));
}

Figure recorded_timeline_figure(Json const& run) {
    std::string const title = "Timeline as recorded";
    FigureTable table{{"GPU", "phase", "pass", "begin (ms)", "end (ms)"}, {}};
    Plot plot;
    double end = 0.0;
    for (Json const& time : run.at("times")) {
        auto const phase = time.at(1).get<std::string>();
        if (std::ranges::find(plot.legend, phase, &LegendEntry::label) == plot.legend.end()) {
            plot.legend.push_back({Mark::Kind::area, phase, phase_look(phase)});
        }
        end = std::max(end, number(time, 4));
        table.rows.emplace_back(time.begin(), time.end());
    }
    if (table.rows.empty()) {
        return empty_figure(title, "There are no times, so there is no timeline.");
    }
    auto const gpus = run.at("gpu_count").get<std::size_t>();
    Panel panel{"",
                linear_axis("ms", 0.0, end),
                name_axis(gpu_group_names(Json::object(), gpus, 1)),
                std::clamp(12.0 * as_double(gpus), 40.0, 420.0)};
    panel.zoomable = true;
    for (std::size_t index = 0; index < table.rows.size(); ++index) {
        auto const& row = table.rows[index];
        panel.marks.push_back(of_rows(row_bar(phase_look(row[1].get<std::string>()),
                                              row[3].get<double>(),
                                              row[4].get<double>(),
                                              row[0].get<double>()),
                                      index));
    }
    plot.panels.push_back(std::move(panel));
    return plotted(title, "When each GPU was in which phase.", std::move(plot), std::move(table));
}

} // namespace keyswap::tools
