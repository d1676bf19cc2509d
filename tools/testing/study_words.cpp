#include "tools/testing/command_words.hpp"

#include "tools/text/number_text.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/records/key_type.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

namespace keyswap::tools::testing {

namespace {

/// When the table of `whatif` has a column.
enum class SweepShown {
    always,
    where_it_varies, ///< the comment above says it otherwise
    of_result        ///< always; a row that could not run has none
};

struct SweepColumn {
    std::string name;
    SweepShown shown;
    std::function<std::string(ToldJson const&)> text;
};

std::function<std::string(ToldJson const&)>
number(std::string const& field, char const* format, double factor = 1.0) {
    return [=](ToldJson const& row) { return printed(format, factor * row[field].number()); };
}

std::function<std::string(ToldJson const&)> text_of(std::string const& field) {
    return [=](ToldJson const& row) { return row[field].shown(); };
}

std::string bits_words(ToldJson const& row) {
    auto const choice = parse_full_name(row["algorithm"].text()).value();
    bool const by_digits = find_parameter(*choice.algorithm, "digit-bits") != nullptr;
    std::string const bits = row["digit_bits"].shown();
    return by_digits ? bits : "-";
}

std::string both_places_words(ToldJson const& row) {
    std::string const input = row["input_on"].text();
    std::string const output = row["output_on"].text();
    return input == output ? input : input + " > " + output;
}

std::string asked_swap_words(ToldJson const& row) {
    std::string const asked = row["swap"].text();
    std::string const taken = row.has("swap_taken") ? row["swap_taken"].text() : "";
    return asked == "best" && !taken.empty() ? "best: " + taken : asked;
}

std::string distribution_words(ToldJson const& row) {
    return row["distribution"].text() +
           (row.has("parameter") ? printed("(%g)", row["parameter"].number()) : "");
}

std::string type_words(ToldJson const& row) {
    std::string const values = row["values"].text();
    return row["key_type"].text() + (values == "none" ? "" : "+" + values);
}

std::uint64_t element_bytes(ToldJson const& row) {
    std::string const values = row["values"].text();
    return key_size_bytes(parse_key_type(row["key_type"].text()).value()) +
           (values == "none" ? 0 : value_size_bytes(parse_value_type(values).value()));
}

std::string short_gpus_words(ToldJson const& row) {
    std::string const text = gpus_words(row["gpus"]);
    return text.size() <= 24 ? text
                             : text.substr(0, text.rfind(',', 14)) + ",... (" +
                                   std::to_string(row["gpus"].each().size()) + ")";
}

std::vector<SweepColumn> sweep_columns() {
    using Row = ToldJson const&;
    using enum SweepShown;
    return {
        {"platform", where_it_varies, text_of("platform")},
        {"algorithm", always, text_of("algorithm")},
        {"keys", where_it_varies, [](Row row) { return format_count(row["num_keys"].count()); }},
        {"type", where_it_varies, type_words},
        {"distribution", where_it_varies, distribution_words},
        {"bits", where_it_varies, bits_words},
        {"links",
         where_it_varies,
         [](Row row) { return row.has("link") ? row["link"].text() : "-"; }},
        {"keys on", where_it_varies, both_places_words},
        {"swap", where_it_varies, asked_swap_words},
        {"GPUs", always, short_gpus_words},
        {"sets", where_it_varies, text_of("equivalent_sets")},
        {"total ms", of_result, number("total_ms", "%.2f")},
        {"from - to ms",
         of_result,
         [](Row row) {
             auto const interval = row["interval_ms"].each();
             return significant_text(interval[0].number(), 4) + " - " +
                    significant_text(interval[1].number(), 4);
         }},
        {"speed-up",
         of_result,
         [](Row row) {
             return row.has("speed_up") ? printed("%.2f", row["speed_up"].number()) : "-";
         }},
        {"Gkeys/s", of_result, number("keys_per_s", "%.2f", 1e-9)},
        {"GB per GPU",
         of_result,
         [](Row row) {
             return row["gpus"].each().empty()
                        ? "-"
                        : printed("%.1f", 1e-9 * row["device_bytes"].number());
         }},
        {"passes", of_result, text_of("passes")},
        {"swap ms", of_result, number("key_swap_ms", "%.2f")},
        {"GB/s", of_result, [](Row row) {
             return printed("%.1f",
                            row["keys_per_s"].number() * static_cast<double>(element_bytes(row)) *
                                1e-9);
         }}};
}

/// What all rows sort, and where it lies.
std::string constant_words(std::vector<ToldJson> const& rows) {
    std::string text;
    for (SweepColumn const& column : sweep_columns()) {
        bool const is_load = column.name == "keys" || column.name == "type" ||
                             column.name == "distribution" || column.name == "keys on";
        auto const differs = [&](ToldJson const& row) {
            return column.text(row) != column.text(rows.front());
        };
        if (is_load && std::ranges::none_of(rows, differs)) {
            std::string const input = rows.front()["input_on"].text();
            std::string const output = rows.front()["output_on"].text();
            text += column.name == "keys on"
                        ? "keys on " + place_words(input) +
                              (input == output ? "" : ", afterwards on " + place_words(output))
                        : column.text(rows.front()) + (column.name == "keys" ? " keys" : "");
            text += ", ";
        }
    }
    return text;
}

std::string errors_words(ToldJson const& errors) {
    return errors["count"].count() == 0
               ? "-"
               : formatted("%llu %.1f %.1f %.1f",
                           static_cast<unsigned long long>(errors["count"].count()),
                           100 * errors["median"].number(),
                           100 * errors["p95"].number(),
                           100 * errors["worst"].number());
}

std::string percents_words(ToldJson const& errors) {
    return formatted("%.2f%% %.2f%% %.2f%%",
                     100 * errors["median"].number(),
                     100 * errors["p95"].number(),
                     100 * errors["worst"].number());
}

std::string groups_words(ToldJson const& told) {
    std::string text = "fitted held out of them by steps suspect\ntable, method";
    for (int column = 0; column < 4; ++column) {
        text += " rows med p95 worst %";
    }
    for (ToldJson const& group : told["groups"].each()) {
        std::uint64_t const lawless = group["without_law"].count();
        std::string const table = group["source"].text() + ", " + group["table"].text();
        text += "\n" + (group.is_null("method") ? table : group["method"].text());
        for (char const* const kind :
             {"fitted", "held_out", "held_out_from_published_steps", "suspect"}) {
            text += " " + errors_words(group[kind]);
        }
        text += lawless == 0 ? "" : " " + counted(lawless, "row") + " without a law";
    }
    return text + "\n";
}

std::string worst_words(ToldJson const& told, bool searches) {
    std::vector<ToldJson> rows;
    for (ToldJson const& row : told["rows"].each()) {
        if (!row.is_null("relative_error") && row["use"].text() != "suspect" &&
            (row["operation"].text() == "sssp") == searches) {
            rows.push_back(row);
        }
    }
    if (rows.empty()) {
        return "";
    }
    std::ranges::stable_sort(rows, std::ranges::greater{}, [](ToldJson const& row) {
        return std::abs(row["relative_error"].number());
    });
    std::string text = searches ? "Worst searches for paths that are not suspect:\n"
                                : "Worst rows that are not suspect:\n";
    for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), searches ? 4 : 8); ++i) {
        ToldJson const& row = rows[i];
        std::uint64_t const buckets = row["buckets"].count();
        std::uint64_t const bits = row["digit_bits"].count();
        text += "line " + row["line"].shown() + ": " + row["device"].text() + ", " +
                row["method"].text() + ", " +
                (row["operation"].text() == "sssp"
                     ? row["distribution"].text()
                     : (buckets > 0 ? std::to_string(buckets) + " buckets, "
                        : bits > 0  ? std::to_string(bits) + " bits, "
                                    : "") +
                           std::string(row["value_bits"].count() == 0 ? "keys" : "pairs")) +
                formatted(": published %.4g, predicted %.4g ",
                          row["published"].number(),
                          row["predicted"].number()) +
                row["unit"].text() + printed(" (%+.1f %%)\n", 100 * row["relative_error"].number());
    }
    return text;
}

} // namespace

std::string gpus_words(ToldJson const& gpus) {
    std::vector<std::uint64_t> all;
    for (ToldJson const& gpu : gpus.each()) {
        all.push_back(gpu.count());
    }
    std::string text;
    for (std::size_t i = 0; i < all.size();) {
        std::size_t last = i;
        while (last + 1 < all.size() && all[last + 1] == all[last] + 1) {
            ++last;
        }
        last = last > i + 1 ? last : i; // two neighbours stay apart
        text += (text.empty() ? "" : ",") + std::to_string(all[i]) +
                (last > i ? "-" + std::to_string(all[last]) : "");
        i = last + 1;
    }
    return text.empty() ? "-" : text;
}

std::string whatif_words(ToldJson const& told) {
    auto const rows = told["rows"].each();
    std::string text =
        "# " + constant_words(rows) + "seed " + told["config"]["seed"].shown() + "\n";
    for (ToldJson const& platform : told["platforms"].each()) {
        text += "# " + platform["platform"].text() + " (" + platform["platform_hash"].text() +
                "), device profile " + platform["device_profile"].text() + "\n";
    }
    std::vector<SweepColumn> shown;
    for (SweepColumn const& column : sweep_columns()) {
        auto const differs = [&](ToldJson const& row) {
            return column.text(row) != column.text(rows.front());
        };
        if (column.shown != SweepShown::where_it_varies || std::ranges::any_of(rows, differs)) {
            shown.push_back(column);
        }
    }
    for (SweepColumn const& column : shown) {
        text += " " + column.name;
    }
    for (ToldJson const& row : rows) {
        text += "\n";
        for (SweepColumn const& column : shown) {
            if (column.shown != SweepShown::of_result || !row.has("error")) {
                text += " " + column.text(row);
            }
        }
        text += row.has("error") ? " " + row["error"].text() : "";
    }
    text += "\n";
    for (ToldJson const& verdict : told["verdicts"].each()) {
        text += verdict["sentence"].text() + "\n";
    }
    return text;
}

std::string validate_words(ToldJson const& told) {
    ToldJson const config = told["config"];
    std::string text = "# " + config["file"].text() + " on platform " + config["platform"].text() +
                       " (" + config["platform_hash"].text() + "), device profile " +
                       config["device_profile"].text() + "; predicted/measured in ms\n";
    for (ToldJson const& row : told["configurations"].each()) {
        std::string const gpus = row["gpus"].joined(",");
        text += row["algorithm"].text() + " " + row["num_keys"].shown() + " " +
                (gpus.empty() ? "CPU" : gpus) + " " + row["key_type"].text() + " " +
                row["distribution"].text() + printed(" %g ", row["parameter"].number()) +
                row["passes_predicted"].shown() + "/" + row["passes_measured"].shown();
        for (ToldJson const& phase : row["phases"].each()) {
            text += " " + phase["phase"].text() +
                    formatted(" %.2f/%.2f %+.1f%%",
                              phase["predicted_ms"].number(),
                              phase["measured_ms"].number(),
                              100 * phase["relative_error"].number());
        }
        text += "\n";
    }
    text += "phase count median p95 worst\n";
    for (ToldJson const& phase : told["summary"].each()) {
        text += phase["phase"].text() + " " + phase["count"].shown() + " " + percents_words(phase) +
                "\n";
    }
    return text + "passes equal: " + told["passes_equal"].shown() + " of " +
           told["passes_compared"].shown() + " configurations\n";
}

std::string rates_words(ToldJson const& told) {
    std::string text = "# " + told["config"]["file"].text() +
                       ": published times and rates, predicted from the profiles of their "
                       "devices; errors in %\n" +
                       groups_words(told) + worst_words(told, false) + worst_words(told, true);
    auto const fastest = told["fastest"].each();
    text += fastest.empty() ? "" : "The fastest method of a cell:\n";
    for (ToldJson const& one : fastest) {
        text += one["source"].text() + ", " + one["table"].text() +
                ": the one named is at most 5 % slower in " +
                one["named_within_5_percent"].shown() + " of " + one["cells"].shown() +
                " cells; where one leads by more than 10 %, it is named in " +
                one["of_those_named"].shown() + " of " + one["cells_with_clear_lead"].shown() +
                "\n";
    }
    return text;
}

std::string cpu_bench_words(ToldJson const& told) {
    std::string text;
    std::optional<std::pair<double, double>> tbb; // of the same keys, by the clock and by cpu time
    auto const median = [](ToldJson const& times) {
        std::vector<double> all;
        for (ToldJson const& time : times.each()) {
            all.push_back(time.number());
        }
        std::ranges::sort(all);
        return std::pair{all, all[all.size() / 2]}; // of an even number the upper one
    };
    std::string keys_before;
    for (ToldJson const& row : told.each()) {
        std::string const keys = row["key_type"].text() + " " + row["value_type"].text() + " " +
                                 row["distribution"].text() + " " + row["key_count"].shown();
        auto const [times, ms] = median(row["ms"]);
        double const cpu_ms = median(row["cpu_ms"]).second;
        if (keys != keys_before) {
            tbb.reset();
        }
        keys_before = keys;
        if (row["sort"].text() == "tbb") {
            tbb = {ms, cpu_ms};
        }
        double const count = row["key_count"].number();
        double const steps = row["steps"].number();
        double const cycles = cpu_ms * 1e6 * row["tick_GHz"].number() / count;
        text += row["sort"].text() + " " + keys + " " + row["threads"].shown() +
                formatted(" %.2f %.1f %.2f %.1f %.2f %.2f",
                          ms,
                          50 * (times.back() - times.front()) / ms,
                          cpu_ms,
                          count / ms / 1e3,
                          cycles,
                          row["cycles_per_key_and_step"].number()) +
                (tbb ? formatted(" %.2f %.2f", tbb->first / ms, tbb->second / cpu_ms) : " - -") +
                (row["holds"].flag() ? "\n" : " WRONG RESULT\n");
        if (std::abs(cycles / steps - row["cycles_per_key_and_step"].number()) > 1e-6 * cycles) {
            text += "cycles of a step are not those of a key by steps\n";
        }
    }
    return text;
}

} // namespace keyswap::tools::testing
