#include "tools/testing/command_words.hpp"

#include "simulator/platform/sim_time.hpp"
#include "tools/text/number_text.hpp"
#include "traces/records/key_type.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace keyswap::tools::testing {

namespace {

std::string with_values(std::string const& values) {
    return values == "none" ? "" : " with " + values + "-bit values";
}

std::uint64_t element_bytes(std::string const& type, std::string const& values) {
    return key_size_bytes(parse_key_type(type).value()) +
           (values == "none" ? 0 : value_size_bytes(parse_value_type(values).value()));
}

/// Of two times, which are whole picoseconds.
double between(double begin_ms, double end_ms) {
    constexpr double a_second = 1e3;
    return simulator::to_milliseconds(simulator::from_seconds((end_ms - begin_ms) / a_second));
}

/// Of more than eight, those of the passes of a phase are one.
std::string phases_words(ToldJson const& told) {
    struct Row {
        std::string name;
        std::uint64_t first;
        std::uint64_t last;
        double begin;
        double end;
    };
    std::vector<Row> rows;
    auto const phases = told["phases"].each();
    for (ToldJson const& phase : phases) {
        Row row{phase["phase"].text(),
                phase["pass"].count(),
                phase["pass"].count(),
                phase["begin_ms"].number(),
                phase["end_ms"].number()};
        auto const same = std::ranges::find(rows, row.name, &Row::name);
        if (phases.size() <= 8 || same == rows.end()) {
            rows.push_back(std::move(row));
        } else {
            *same = {row.name,
                     std::min(same->first, row.first),
                     std::max(same->last, row.last),
                     std::min(same->begin, row.begin),
                     std::max(same->end, row.end)};
        }
    }
    std::string text = "phase begin ms end ms takes ms\n";
    for (Row const& row : rows) {
        text += row.name + (row.last > 0 ? " " + std::to_string(row.first) : "") +
                (row.last > row.first ? "-" + std::to_string(row.last) : "") +
                formatted(" %.3f %.3f %.3f\n", row.begin, row.end, between(row.begin, row.end));
    }
    return text;
}

std::string certainty_words(ToldJson const& told) {
    auto const interval = told["interval_ms"].each();
    auto const effects = told["assumptions"].each();
    std::string const text =
        "Expect " + interval_text(interval[0].number(), interval[1].number(), 3) +
        printed(": the model is off by up to %g %%", 100 * told["model_error"].number());
    if (effects.empty()) {
        return text + ".\n";
    }
    ToldJson const& effect = effects.front();
    std::string const unit = effect["unit"].text();
    bool const is_alone = effects.size() == 1;
    return text + (is_alone ? "; " : "; of " + counted(effects.size(), "assumed constant") + ", ") +
           effect["name"].text() + printed(" = %.4g", effect["value"].number()) +
           (unit.empty() ? "" : " " + unit) + (is_alone ? " is assumed" : " matters most") +
           formatted(" (%.4g to %.4g: ", effect["low"].number(), effect["high"].number()) +
           interval_text(effect["low_ms"].number(), effect["high_ms"].number(), 4) +
           (effect["simulated"].flag() ? ").\n" : ", estimated).\n");
}

/// Scatters that read alike are one sentence with their number.
std::string unsure_words(ToldJson const& told) {
    std::vector<std::pair<std::string, std::string>> scatters;
    for (ToldJson const& scatter : told["unsure_scatters"].each()) {
        scatters.emplace_back("Scatter " + scatter["pass"].shown() + " takes place",
                              formatted(" with a probability of %.0f %% (a handful of keys "
                                        "decides); its %.3g ms are %s.\n",
                                        100 * scatter["chance"].number(),
                                        scatter["ms"].number(),
                                        scatter["counted"].flag() ? "counted" : "not counted"));
    }
    std::string text;
    for (auto scatter = scatters.begin(); scatter != scatters.end(); ++scatter) {
        auto const alike = std::count(scatters.begin(), scatters.end(), *scatter);
        if (std::find(scatters.begin(), scatter, *scatter) == scatter) {
            text += scatter->first +
                    (alike > 1 ? " in each of " + std::to_string(alike) + " buckets" : "") +
                    scatter->second;
        }
    }
    return text;
}

/// The five busiest, or as many as fit into 25 lines. \param lines those above them
std::string links_words(ToldJson const& told, std::size_t lines) {
    auto links = told["links"].each();
    std::ranges::stable_sort(links, std::ranges::greater{}, [](ToldJson const& link) {
        return std::pair{
            link["saturated_ms"].number(),
            std::lround(1000 * link["mean_GBps"].number() / link["capacity_GBps"].number())};
    });
    std::size_t const title = 2; // after an empty line
    std::size_t const room = 25 - std::min<std::size_t>(25, lines + title);
    links.erase(links.begin() +
                    static_cast<std::ptrdiff_t>(std::min({links.size(), room, std::size_t{5}})),
                links.end());
    std::string text = links.empty() ? "" : "busiest links, GB/s capacity peak mean\n";
    for (std::size_t i = 0; i < links.size(); ++i) {
        ToldJson const& link = links[i];
        text += link["name"].text() + formatted(" %.1f %.1f %.1f\n",
                                                link["capacity_GBps"].number(),
                                                link["peak_GBps"].number(),
                                                link["mean_GBps"].number());
    }
    return text;
}

std::string swap_words(ToldJson const& told) {
    std::string const taken = told["config"]["swap"].text();
    if (told.is_null("other_swap")) {
        return taken == "flat" ? "" : "Swap: " + taken + ".\n";
    }
    ToldJson const other = told["other_swap"];
    return other.is_null("total_ms")
               ? "Swap: " + taken + ", since " + other["swap"].text() +
                     " takes more memory than there is.\n"
               : "Swap: " + taken + ", the faster one; " + other["swap"].text() +
                     printed(" takes %.3f ms.\n", other["total_ms"].number());
}

/// Memories of which as much is used are one.
std::string memory_words(ToldJson const& memory) {
    std::string text = "Memory: ";
    auto const uses = memory["uses"].each();
    auto const use_of = [](ToldJson const& use) {
        double const percent =
            100 * use["used_bytes"].number() / std::max(1.0, use["free_bytes"].number());
        return size_text(use["used_bytes"].number()) + " of " +
               size_text(use["free_bytes"].number()) +
               (percent > 0 && percent < 0.5 ? " (<1 %)" : printed(" (%.0f %%)", percent));
    };
    for (std::size_t i = 0; i < uses.size();) {
        std::size_t last = i;
        while (last + 1 < uses.size() && use_of(uses[last + 1]) == use_of(uses[i])) {
            ++last;
        }
        text += (i == 0 ? "" : ", ") + use_of(uses[i]) + " on " + uses[i]["memory"].text() +
                (last > i ? " to " + uses[last]["memory"].text() : "");
        i = last + 1;
    }
    return text + "; at most " + format_count(memory["keys_most"].count()) + " such keys fit.\n";
}

} // namespace

std::string place_words(std::string const& place) {
    if (place == "interleaved") {
        return "all NUMA nodes of each machine, interleaved";
    }
    if (place == "local") {
        return "the NUMA nodes near their GPUs";
    }
    return place == "devices" ? "the GPUs" : "NUMA node " + place.substr(place.find(':') + 1);
}

std::string simulate_words(ToldJson const& told) {
    ToldJson const config = told["config"];
    std::string const type = config["type"].text();
    std::string const values = config["values"].text();
    std::string const input = config["input_on"].text();
    std::string const output = config["output_on"].text();
    std::uint64_t const keys = config["keys"].count();
    double const total = told["total_ms"].number();
    double const tolerance = config["rate_tolerance"].number();
    std::string const gpus = gpus_words(config["gpus"]);
    std::size_t const gpu_count = config["gpus"].each().size();
    std::string text =
        "# " + config["algorithm"].text() +
        (told["fallback"].text().empty() ? "" : " (" + told["fallback"].text() + ")") + ": " +
        counted(keys, type + " key") + with_values(values) + " on " + place_words(input) +
        (input == output ? "" : ", afterwards on " + place_words(output)) + ", " +
        config["distribution"].text() +
        (config.is_null("parameter") ? "" : printed("(%g)", config["parameter"].number())) +
        ", seed " + config["seed"].shown() + ", " +
        (gpu_count == 0   ? "the CPUs"
         : gpu_count == 1 ? "GPU " + gpus
                          : "GPUs " + gpus) +
        " of " + config["platform"].text() + " (" + config["platform_hash"].text() + "), profile " +
        config["device_profile"].text() + "\n" + printed("Total: %.3f ms", total) +
        (total > 0 ? ", " + rate_text(keys, element_bytes(type, values), total) : "") + ".\n" +
        certainty_words(told) + unsure_words(told) + told["bottleneck"].text() + " " +
        counted(told["passes"].count(), "pass", "passes") + ", " +
        counted(told["copies"].count(), "copy", "copies") + ", " +
        counted(told["sort_calls"].count(), "sort") + ".\n" + swap_words(told) +
        memory_words(told["memory"]);
    if (tolerance > 0) {
        text += formatted("Approximate: rates are shared by copies that end within %g of a copy's "
                          "time.\n",
                          tolerance);
    }
    if (told["copies_joined"].flag()) {
        text += "Approximate: copies of each source and destination are simulated as one.\n";
    }
    text += phases_words(told);
    std::size_t const empty_lines = 1; // before the phases
    return text + links_words(
                      told, static_cast<std::size_t>(std::ranges::count(text, '\n')) + empty_lines);
}

std::string device_words(ToldJson const& told) {
    ToldJson const config = told["config"];
    std::string const type = config["type"].text();
    std::string const values = config["values"].text();
    std::uint64_t const keys = config["keys"].count();
    double const total = told["total_ms"].number();
    double const steps = told["steps"].number();
    double const step_ms = told["step_ms"].number();
    std::string text =
        "# " + config["algorithm"].text() + ": " + counted(keys, type + " key") +
        with_values(values) + " on one " + config["device"].text() + " (" +
        config["description"].text() + ")\n" +
        printed("launch %.3f ms\n", told["launch_ms"].number()) +
        formatted("steps %.3f ms %.4g of %.4g ms, bound by ", steps * step_ms, steps, step_ms) +
        told["bound_by"].text() + printed("\ntotal %.3f ms ", total) +
        rate_text(keys, element_bytes(type, values), total) + "\n";
    for (ToldJson const& constant : told["constants"].each()) {
        text += constant["name"].text() + printed(" %.4g ", constant["value"].number()) +
                constant["unit"].text() + ": " + constant["origin"].text() + "\n";
    }
    return text;
}

std::string partition_words(ToldJson const& told) {
    std::string text;
    std::string heading;
    for (ToldJson const& row : told["rows"].each()) {
        std::uint64_t const bits = row["value_bits"].count();
        std::string const here =
            "# " + row["device"].text() + " (" + row["description"].text() +
            "): " + format_count(row["keys"].count()) + " " + row["key_type"].text() + " keys" +
            (bits == 0 ? "" : " with " + std::to_string(bits) + "-bit values") + ", " +
            row["distribution"].text() + " over buckets by " + row["rule"].text() +
            "; predicted, billion " + (bits == 0 ? "keys" : "pairs") + "/s\n";
        if (here != heading) {
            text += here + "buckets fastest (any order) ms all methods, fastest first\n";
        }
        heading = here;
        std::string const fastest = row["fastest"].text();
        bool const has_stable = !row.is_null("fastest_stable");
        std::string const stable = has_stable ? row["fastest_stable"].text() : "-";
        std::string rates;
        double ms = 0;
        for (ToldJson const& method : row["methods"].each()) {
            std::string const name = method["method"].text();
            rates +=
                (rates.empty() ? "" : ", ") + name + printed(" %.3g", method["rate_Gps"].number());
            if (name == (has_stable ? stable : fastest)) {
                ms = method["total_ms"].number();
            }
        }
        text += row["buckets"].shown() + " " + stable +
                (has_stable && stable != fastest ? " (" + fastest + ")" : "") +
                printed(" %.4g ", ms) + rates + "\n";
    }
    return text;
}

} // namespace keyswap::tools::testing
