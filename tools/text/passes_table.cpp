#include "tools/text/passes_table.hpp"

#include "model/distributions/closed_form_source.hpp"
#include "model/distributions/streamed_source.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/table.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/try.hpp"
#include "traces/measurements/rate_table.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>

namespace keyswap::tools {

namespace {

/// True for files with rates of a single device, which have no passes.
bool holds_rates(std::filesystem::path const& file) {
    std::ifstream in(file);
    std::string header;
    std::getline(in, header);
    return looks_like_rates(header);
}

model::SortConfig config_of(PassesRow const& row) {
    model::SortConfig config;
    config.key_count = row.keys.key_count;
    config.key_type = row.keys.key_type;
    config.gpu_count = row.gpu_count;
    return config;
}

/// Computes PassesRow::margin_keys for a plan and pass; nullopt if no bucket crosses a border.
std::optional<std::int64_t> margin(model::Plan const& plan, std::uint32_t pass) {
    std::optional<std::int64_t> least;
    if (pass == 0 || pass > plan.passes.size()) {
        return least;
    }
    auto const tolerance = static_cast<std::int64_t>(plan.tolerance);
    for (auto const& bucket : plan.passes[pass - 1].buckets) {
        auto const& place = bucket.placement;
        for (GpuId gpu{0}; gpu.value + 1 < plan.chunks.gpu_count(); ++gpu.value) {
            std::uint64_t const border = plan.chunks.border(gpu);
            if (place.begin < border && border < place.end) {
                std::uint64_t const off = std::min(border - place.begin, place.end - border);
                std::int64_t const spare = tolerance - static_cast<std::int64_t>(off);
                least = std::min(least.value_or(spare), spare);
            }
        }
    }
    return least;
}

Expected<PassesRow> planned(PassesRow row) {
    KEYSWAP_TRY(auto generator, model::KeyGenerator::make(row.keys));
    model::ClosedFormSource source(std::move(generator));
    model::Plan const plan = model::plan_rmg_sort(config_of(row), source);
    row.closed_form = plan.pass_count();
    row.margin_keys = margin(plan, row.published);
    if (row.keys.key_count <= streamed_key_count_max) {
        for (int seed = 1; seed <= streamed_seeds; ++seed) {
            model::KeyRequest keys = row.keys;
            keys.seed = static_cast<std::uint64_t>(seed);
            model::StreamedSource streamed(model::KeyGenerator::make(keys).value());
            row.streamed.push_back(model::plan_rmg_sort(config_of(row), streamed).pass_count());
        }
    }
    return row;
}

/// Number of seeds by number of passes: "17 x 1, 3 x 2"; "-" without seeds.
std::string seeds_text(std::vector<int> const& passes) {
    std::map<int, int> seeds;
    for (int const count : passes) {
        ++seeds[count];
    }
    std::string text;
    for (auto const& [count, times] : seeds) {
        text += (text.empty() ? "" : ", ") + std::to_string(times) + " x " + std::to_string(count);
    }
    return text.empty() ? "-" : text;
}

/// True if some seed needs the published number of passes.
bool depends_on_seed(PassesRow const& row) {
    return std::ranges::count(row.streamed, static_cast<int>(row.published)) > 0;
}

Table passes_table() {
    return Table({{"keys", -14},
                  {"GPUs", -6},
                  {"type", -6},
                  {"from", -10},
                  {"param", -7},
                  {"published", -11},
                  {"closed form", -13},
                  {"seeds x passes", -18},
                  {"margin", -15},
                  {"", -1}});
}

void print_row(std::ostream& out, PassesRow const& row) {
    out << passes_table().row(row.keys.key_count,
                              row.gpu_count,
                              to_string(row.keys.key_type),
                              row.keys.distribution,
                              row.keys.parameter ? printed("%g", *row.keys.parameter) : "",
                              row.published,
                              row.closed_form,
                              seeds_text(row.streamed),
                              row.margin_keys ? std::to_string(*row.margin_keys) : "no border hit",
                              row.agrees()           ? "agrees"
                              : depends_on_seed(row) ? "noise decides"
                                                     : "DIFFERS");
}

} // namespace

Expected<std::vector<PassesRow>> passes_rows(std::span<Measurement const> measurements) {
    std::vector<PassesRow> rows;
    std::map<std::tuple<std::uint64_t,
                        std::size_t,
                        std::string,
                        std::string,
                        std::optional<double>,
                        std::uint32_t>,
             std::size_t>
        known;
    for (Measurement const& run : measurements) {
        if (measured_algorithm(run.algorithm) != "rmg-paper" || run.gpus.size() < 2) {
            continue;
        }
        auto const [place, added] = known.try_emplace({run.key_count,
                                                       run.gpus.size(),
                                                       run.key_type,
                                                       run.distribution,
                                                       run.parameter,
                                                       run.passes},
                                                      rows.size());
        if (!added) {
            ++rows[place->second].run_count;
            continue;
        }
        KEYSWAP_TRY(auto const type, parse_key_type(run.key_type));
        PassesRow row;
        row.keys = {run.distribution, run.parameter, type, run.key_count, 1};
        row.gpu_count = static_cast<std::uint32_t>(run.gpus.size());
        row.run_count = 1;
        row.published = run.passes;
        KEYSWAP_TRY(auto finished, planned(std::move(row)));
        rows.push_back(std::move(finished));
    }
    return rows;
}

Expected<bool> print_passes_table(std::ostream& out, std::filesystem::path const& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (auto const& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".csv" && !holds_rates(entry.path())) {
            files.push_back(entry.path());
        }
    }
    if (error || files.empty()) {
        return input_error(folder.string(),
                           error ? error.message() : "it holds no .csv file",
                           "name the folder of the published measurements");
    }
    std::ranges::sort(files);
    bool all_agree = true;
    for (auto const& file : files) {
        KEYSWAP_TRY(auto const measurements, read_measurements(file));
        KEYSWAP_TRY(auto const rows, passes_rows(measurements));
        out << "Passes needed, " << file.filename().string()
            << " (margin: keys that the tolerance has to spare at the tightest border in the last "
               "published pass)\n"
            << passes_table().header();
        for (PassesRow const& row : rows) {
            print_row(out, row);
            all_agree = all_agree && (row.agrees() || depends_on_seed(row));
        }
    }
    return all_agree;
}

} // namespace keyswap::tools
