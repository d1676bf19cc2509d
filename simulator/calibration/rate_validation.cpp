#include "simulator/calibration/rate_validation.hpp"

#include "simulator/cost/partition_cost.hpp"
#include "simulator/cost/sort_law.hpp"
#include "simulator/prediction/prediction.hpp"
#include "simulator/prediction/simulated_rate.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"
#include "traces/records/key_type.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace keyswap::simulator {

namespace {

PartitionLoad load_of(PublishedRate const& rate) {
    PartitionLoad load;
    load.method = rate.method;
    load.rule = rate.rule;
    load.buckets = std::max(1U, rate.buckets);
    load.distribution = rate.distribution;
    load.parameter = rate.parameter;
    load.key_bytes = key_bits(*parse_key_type(rate.key_type)) / 8;
    load.value_bytes = rate.value_bits / 8;
    load.key_count = rate.key_count;
    return load;
}

std::optional<double> sort_ms(RateProfile const& profile, PublishedRate const& rate) {
    PartitionLoad load = load_of(rate);
    constexpr int bits_of_a_byte = 8;
    if (rate.method == "cub-radix") {
        return radix_sort_ms(
            profile, load, rate.digit_bits > 0 ? rate.digit_bits : bits_of_a_byte * load.key_bytes);
    }
    if (rate.method == "multisplit-sort" && rate.digit_bits > 0) {
        double sum_ms = 0.0;
        load.method = "block";
        load.rule = "digit";
        for (int const bits :
             multisplit_sort_steps(bits_of_a_byte * load.key_bytes, rate.digit_bits)) {
            load.buckets = 1U << std::min(bits, 30);
            auto const step = multisplit_cost(profile, load);
            if (!step) {
                return std::nullopt;
            }
            sum_ms += step->total_ms();
        }
        return sum_ms;
    }
    auto const law = profile.sorts.find(rate.method);
    return law == profile.sorts.end()
               ? std::nullopt
               : std::optional(
                     sort_law_time(
                         profile, law->second, load.key_count, load.key_bytes, load.value_bytes)
                         .total_ms());
}

/// Finds a published row with the same device, keys, values and number of keys; nullptr if none.
PublishedRate const* find_step(std::span<PublishedRate const> rates,
                               PublishedRate const& whole,
                               std::string_view operation,
                               std::string_view method,
                               int value_bits,
                               int bits) {
    auto const found = std::ranges::find_if(rates, [&](PublishedRate const& rate) {
        bool const fits = operation == "sort" ? rate.digit_bits == bits
                                              : rate.rule == "digit" && rate.buckets == 1U << bits;
        return fits && rate.operation == operation && rate.method == method &&
               rate.stage == "all" && rate.device == whole.device &&
               rate.key_type == whole.key_type && rate.value_bits == value_bits &&
               rate.key_count == whole.key_count && rate.distribution == "uniform" &&
               rate.use != RateUse::suspect && !rate.time_ratio;
    });
    return found == rates.end() ? nullptr : &*found;
}

std::optional<double> by_steps_ms(std::span<PublishedRate const> rates,
                                  RateProfile const& profile,
                                  PublishedRate const& rate) {
    constexpr int step_bits_max = 30;
    if (rate.operation == "sort" && rate.method == "multisplit-sort" && rate.digit_bits > 0) {
        double sum_ms = 0.0;
        int const key_bits = 8 * load_of(rate).key_bytes;
        for (int const bits : multisplit_sort_steps(key_bits, rate.digit_bits)) {
            auto const* const step =
                bits > step_bits_max
                    ? nullptr
                    : find_step(rates, rate, "multisplit", "block", rate.value_bits, bits);
            if (step == nullptr) {
                return std::nullopt;
            }
            sum_ms += step->milliseconds();
        }
        return sum_ms;
    }
    bool const labels_of_keys = rate.operation == "multisplit" && rate.method == "reduced-bit" &&
                                rate.stage == "all" && rate.value_bits == 0 &&
                                rate.key_type == "u32" && profile.partition;
    if (labels_of_keys && rate.buckets >= 2) {
        int const bits = static_cast<int>(std::bit_width(rate.buckets - 1));
        if (auto const* const step = find_step(rates, rate, "sort", "cub-radix", 32, bits)) {
            return step->milliseconds() +
                   profile.partition->label_ps * static_cast<double>(rate.key_count) * 1e-9;
        }
    }
    return std::nullopt;
}

std::optional<double> ratio_of(PublishedRate const& rate, RateProfiles const& profiles) {
    PublishedRate reference = rate;
    if (parse_key_type(rate.ratio_to)) {
        reference.key_type = rate.ratio_to;
        reference.value_bits = 0;
    } else if (profiles.contains(rate.ratio_to)) {
        reference.device = rate.ratio_to;
    } else {
        return std::nullopt;
    }
    auto const one = rate_ms(profiles.find(rate.device)->second, rate);
    auto const other = rate_ms(profiles.find(reference.device)->second, reference);
    return one && other && *other > 0.0 ? std::optional(*one / *other) : std::nullopt;
}

RateGroup group_of(std::vector<PredictedRate const*> const& rows, std::string const& method) {
    RateGroup group;
    group.source = rows.front()->rate.source;
    group.table = rows.front()->rate.table;
    group.method = method;
    std::vector<double> errors[3];
    std::vector<double> steps;
    for (PredictedRate const* const row : rows) {
        if (!row->predicted) {
            ++group.without_law;
            continue;
        }
        double const error = std::abs(row->error());
        errors[static_cast<std::size_t>(row->rate.use)].push_back(error);
        if (row->basis == RateBasis::steps && row->rate.use == RateUse::held_out) {
            steps.push_back(error);
        }
    }
    group.fitted = summary_of_errors(std::move(errors[0]));
    group.held_out = summary_of_errors(std::move(errors[1]));
    group.suspect = summary_of_errors(std::move(errors[2]));
    group.steps = summary_of_errors(std::move(steps));
    return group;
}

/// Method of a row (histograms: with rule), marked if it is a stage.
std::string method_name(PublishedRate const& rate) {
    std::string name = rate.method;
    if (rate.operation == "histogram") {
        name += " " + rate.rule;
    }
    return rate.stage == "all" ? name : name + ", stages";
}

} // namespace

Expected<RateProfiles> profiles_of(std::span<PublishedRate const> rates, std::string const& file) {
    RateProfiles profiles;
    auto const shipped = shipped_rate_profiles();
    for (PublishedRate const& rate : rates) {
        if (profiles.contains(rate.device)) {
            continue;
        }
        if (std::ranges::find(shipped, rate.device) == shipped.end()) {
            return input_error(file + ":" + std::to_string(rate.line),
                               "column device is '" + rate.device + "', which has no rate profile",
                               KnownNames(shipped).remedy(rate.device, "shipped: "));
        }
        KEYSWAP_TRY(auto profile, load_rate_profile(rate.device));
        profiles.emplace(rate.device, std::move(profile));
    }
    return profiles;
}

std::optional<double> rate_ms(RateProfile const& profile, PublishedRate const& rate) {
    if (rate.operation == "multisplit") {
        auto const times = multisplit_cost(profile, load_of(rate));
        return times ? times->stage_ms(rate.stage) : std::nullopt;
    }
    if (rate.operation == "histogram") {
        return histogram_cost_ms(profile, load_of(rate));
    }
    return rate.operation == "sort" ? sort_ms(profile, rate) : std::nullopt;
}

std::vector<PredictedRate> predict_rates(std::span<PublishedRate const> rates,
                                         RateProfiles const& profiles) {
    std::vector<PredictedRate> all;
    SimulatedRates simulated;
    for (PublishedRate const& rate : rates) {
        auto const profile = profiles.find(rate.device);
        KEYSWAP_EXPECTS(profile != profiles.end());
        PredictedRate row;
        row.rate = rate;
        if (rate.time_ratio) {
            row.published = *rate.time_ratio;
            row.predicted = ratio_of(rate, profiles);
        } else {
            row.published = rate.milliseconds();
            row.predicted = by_steps_ms(rates, profile->second, rate);
            row.basis = row.predicted ? RateBasis::steps : RateBasis::constants;
            if (!row.predicted) {
                row.predicted = rate_ms(profile->second, rate);
            }
            if (!row.predicted) {
                row.predicted = simulated.milliseconds(profile->second, rate);
            }
        }
        all.push_back(std::move(row));
    }
    return all;
}

ErrorSummary errors_of_usable(std::span<PredictedRate const> rates) {
    std::vector<double> errors;
    for (PredictedRate const& row : rates) {
        if (row.predicted && row.rate.use != RateUse::suspect) {
            errors.push_back(std::abs(row.error()));
        }
    }
    return summary_of_errors(std::move(errors));
}

std::vector<RateGroup> summarize_rates(std::span<PredictedRate const> rates) {
    std::vector<std::pair<std::string, std::string>> tables;
    for (PredictedRate const& row : rates) {
        std::pair const table{row.rate.source, row.rate.table};
        if (std::ranges::find(tables, table) == tables.end()) {
            tables.push_back(table);
        }
    }
    std::vector<RateGroup> groups;
    for (auto const& [source, table] : tables) {
        std::vector<PredictedRate const*> rows;
        std::vector<std::string> methods;
        for (PredictedRate const& row : rates) {
            if (row.rate.source == source && row.rate.table == table) {
                rows.push_back(&row);
                std::string const method = method_name(row.rate);
                if (std::ranges::find(methods, method) == methods.end()) {
                    methods.push_back(method);
                }
            }
        }
        groups.push_back(group_of(rows, ""));
        for (std::string const& method : methods) {
            std::vector<PredictedRate const*> some;
            std::ranges::copy_if(rows, std::back_inserter(some), [&](auto const* row) {
                return method_name(row->rate) == method;
            });
            if (methods.size() > 1) {
                groups.push_back(group_of(some, method));
            }
        }
    }
    return groups;
}

std::vector<FastestMethod> fastest_methods(std::span<PredictedRate const> rates) {
    auto const cell_of = [](PublishedRate const& rate) {
        return std::tie(rate.source,
                        rate.table,
                        rate.operation,
                        rate.device,
                        rate.buckets,
                        rate.rule,
                        rate.key_type,
                        rate.value_bits,
                        rate.key_count,
                        rate.distribution,
                        rate.parameter);
    };
    std::vector<PredictedRate const*> rows;
    for (PredictedRate const& row : rates) {
        bool const compared = row.rate.operation == "multisplit" || row.rate.operation == "sssp";
        if (compared && row.rate.stage == "all" && row.predicted &&
            row.rate.use != RateUse::suspect && !row.rate.time_ratio) {
            rows.push_back(&row);
        }
    }
    std::vector<FastestMethod> all;
    for (std::size_t first = 0; first < rows.size(); ++first) {
        auto const cell = cell_of(rows[first]->rate);
        std::vector<PredictedRate const*> methods;
        bool seen = false; // in a cell of an earlier row
        for (std::size_t index = 0; index < rows.size(); ++index) {
            if (cell_of(rows[index]->rate) == cell) {
                seen = seen || index < first;
                methods.push_back(rows[index]);
            }
        }
        if (seen || methods.size() < 2) {
            continue;
        }
        PublishedRate const& rate = rows[first]->rate;
        auto table = std::ranges::find_if(all, [&](FastestMethod const& one) {
            return one.source == rate.source && one.table == rate.table;
        });
        if (table == all.end()) {
            all.push_back({rate.source, rate.table});
            table = all.end() - 1;
        }
        auto const* const named =
            *std::ranges::min_element(methods, {}, [](auto const* row) { return *row->predicted; });
        std::ranges::sort(methods, {}, [](auto const* row) { return row->published; });
        constexpr double near = 1.05;
        constexpr double lead = 1.10;
        ++table->cells;
        table->within_5 += named->published <= near * methods[0]->published ? 1 : 0;
        if (methods[1]->published > lead * methods[0]->published) {
            ++table->clear;
            table->clear_named += named == methods[0] ? 1 : 0;
        }
    }
    return all;
}

} // namespace keyswap::simulator
