#include "tools/commands/simulate/whatif_findings.hpp"

#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <tuple>

namespace keyswap::tools {

namespace {

using simulator::WhatIfRow;

std::string contender_name(WhatIfRow const& row) {
    return row.request.algorithm + " on " + printable_text(row.platform) +
           (row.link_changes.empty() ? "" : " with " + printable_text(row.link_changes)) + ", " +
           gpu_set_name(row.request.gpus) +
           (row.request.gpu_memory_bytes
                ? " with " + size_text(static_cast<double>(*row.request.gpu_memory_bytes))
                : "") +
           (row.request.swap == simulator::SwapOrder::flat
                ? ""
                : ", swap " + std::string(to_string(row.request.swap)));
}

/// True if two rows differ only in their GPUs.
bool same_but_gpus(WhatIfRow const& a, WhatIfRow const& b) {
    auto const load = [](WhatIfRow const& row) {
        auto const& config = row.request.config;
        return std::tuple{config.key_count,
                          config.key_type,
                          config.digit_bits,
                          config.tolerance_ppm,
                          config.fuse_ppm,
                          row.request.algorithm,
                          row.request.distribution,
                          row.request.parameter,
                          to_string(*row.request.input),
                          row.request.gpu_memory_bytes,
                          row.request.swap,
                          row.link_changes};
    };
    return load(a) == load(b);
}

} // namespace

Expected<std::pair<std::string, Json>> break_even_of(std::vector<MachineRows> const& answers) {
    std::vector<std::pair<simulator::Machine, WhatIfRow const*>> contenders;
    for (MachineRows const& answer : answers) {
        for (WhatIfRow const& row : answer.rows) {
            if (contenders.size() == 2) {
                return input_error("--break-even",
                                   "there are more than two rows to compare",
                                   "vary one thing, with two values");
            }
            auto const changes = row.link_changes.empty()
                                     ? Expected<simulator::LinkChanges>(simulator::LinkChanges{})
                                     : simulator::parse_link_changes(row.link_changes);
            KEYSWAP_TRY(auto machine, changes.and_then([&](simulator::LinkChanges const& known) {
                return simulator::with_link_changes(answer.machine, known);
            }));
            contenders.emplace_back(std::move(machine), &row);
        }
    }
    if (contenders.size() < 2) {
        return input_error("--break-even",
                           "there is only one row",
                           "vary one thing, for instance --gpu-count 1,8");
    }
    auto const& [first_machine, first] = contenders[0];
    auto const& [second_machine, second] = contenders[1];
    KEYSWAP_TRY(auto const found,
                simulator::break_even({&first_machine, first->request},
                                      {&second_machine, second->request}));
    std::string const when = !found.second_can_win ? "never"
                             : found.key_count == 0
                                 ? "always"
                                 : "from " + grouped_count(found.key_count) + " keys on";
    Json json{{"tried_keys_max", found.tried_keys_max}};
    json["key_count"] = found.second_can_win ? Json(found.key_count) : Json();
    return std::pair{contender_name(*second) + " beats " + contender_name(*first) + ": " + when +
                         " (of up to " + grouped_count(found.tried_keys_max) +
                         " keys, the most that fit into both).",
                     json};
}

Expected<std::vector<OrderChange>> turning_points(std::vector<MachineRows> const& answers,
                                                  std::vector<WhatIfRow> const& rows) {
    std::vector<WhatIfRow const*> ranking;
    for (WhatIfRow const& row : rows) {
        if (!same_but_gpus(row, rows.front()) || !row.link_changes.empty()) {
            return std::vector<OrderChange>{};
        }
        if (row.tasks > simulator::CertaintyOptions{}.tasks_max) {
            return std::vector<OrderChange>{}; // too large to simulate again
        }
        if (row.ran()) {
            ranking.push_back(&row);
        }
    }
    if (answers.size() != 1 || ranking.size() < 2) {
        return std::vector<OrderChange>{};
    }
    std::ranges::stable_sort(ranking, {}, [](WhatIfRow const* row) { return row->total_ms; });
    auto const* const largest = *std::ranges::max_element(
        ranking, {}, [](WhatIfRow const* row) { return row->request.gpus.size(); });
    std::vector<WhatIfRow const*> others{ranking[1]};
    if (largest != ranking[0] && largest->request.gpus.size() > ranking[1]->request.gpus.size()) {
        others.push_back(largest);
    }
    simulator::Machine const& machine = answers.front().machine;
    KEYSWAP_TRY(auto const first, simulator::simulate(machine, ranking[0]->request));
    std::vector<OrderChange> turning;
    for (WhatIfRow const* const other : others) {
        KEYSWAP_TRY(auto const points,
                    simulator::simulate(machine, other->request)
                        .and_then([&](simulator::Simulation const& second) {
                            return simulator::turning_points(machine, first, second);
                        }));
        for (simulator::TurningPoint const& point : points) {
            turning.push_back({ranking[0], other, point});
        }
    }
    return turning;
}

std::string turning_text(std::vector<OrderChange> const& turning) {
    std::string text;
    for (auto const& [fastest, other, point] : turning) {
        text += formatted("%s would beat %s with %s of at %s %.3g (assumed: %.3g%s).\n",
                          gpu_set_name(other->request.gpus).c_str(),
                          gpu_set_name(fastest->request.gpus).c_str(),
                          printable_text(point.constant.name).c_str(),
                          point.upwards ? "least" : "most",
                          point.value,
                          point.constant.value,
                          point.beyond ? printed(", thought to be %.3g", point.constant.low())
                                             .append(printed(" to %.3g", point.constant.high()))
                                             .c_str()
                                       : "");
    }
    return text;
}

std::optional<RowCost> cost_of(WhatIfRow const& row, std::vector<MachineRows> const& answers) {
    auto const answer = std::ranges::find_if(answers, [&row](MachineRows const& one) {
        return one.machine.platform.name == row.platform;
    });
    if (!row.ran() || answer == answers.end() || !answer->running || row.total_ms <= 0.0) {
        return std::nullopt;
    }
    double const keys_per_second =
        static_cast<double>(row.request.config.key_count) / row.total_ms * 1e3;
    return RowCost{answer->running->keys_per_joule(keys_per_second),
                   answer->running->keys_per_dollar(keys_per_second)};
}

std::string cost_text(std::vector<MachineRows> const& answers) {
    std::string text;
    for (MachineRows const& answer : answers) {
        std::optional<RowCost> best;
        for (WhatIfRow const& row : answer.rows) {
            auto const cost = cost_of(row, answers);
            best = cost && (!best || cost->keys_per_joule > best->keys_per_joule) ? cost : best;
        }
        if (!best) {
            continue;
        }
        text += formatted("%s: up to %.4g million keys per joule at %.4g kW",
                          printable_text(answer.machine.platform.name).c_str(),
                          best->keys_per_joule * 1e-6,
                          static_cast<double>(answer.running->power_W) * 1e-3);
        if (best->keys_per_dollar) {
            text += formatted(", %.4g billion keys per dollar at %.2f an hour",
                              *best->keys_per_dollar * 1e-9,
                              static_cast<double>(answer.running->price_cent) * 0.01);
        }
        text += formatted(" for the whole machine (%s).\n",
                          printable_text(answer.running->origin).c_str());
    }
    return text.empty() ? "\nNo platform file has a table [running].\n" : '\n' + text;
}

} // namespace keyswap::tools
