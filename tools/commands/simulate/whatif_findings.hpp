#pragma once

/// \file What follows from the rows of `keyswap whatif`: from how many keys on one of two is
/// faster, which assumptions decide an order, and what machines take for their keys.

#include "simulator/platform/running_cost.hpp"
#include "simulator/study/certainty.hpp"
#include "simulator/study/what_if.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::tools {

/// A machine with its answers.
struct MachineRows {
    simulator::Machine machine;
    std::vector<simulator::WhatIfRow> rows;
    bool sampled = false;                          ///< not every set of GPUs was tried
    std::optional<simulator::RunningCost> running; ///< where it was asked for and is known
};

void result_fields(MachineRows const& answer, auto& field) {
    field("platform", answer.machine.platform.name);
    field("platform_hash", hash_text(platform_hash(answer.machine.platform)));
    field("device_profile", answer.machine.device.name);
    field("all_sets_tried", !answer.sampled);
}

/// From how many keys on the second of the two rows that there are is faster, as a sentence and for
/// --json.
/// \return an error unless there are two rows
[[nodiscard]] Expected<std::pair<std::string, Json>>
break_even_of(std::vector<MachineRows> const& answers);

/// A set of GPUs that is slower than the fastest, and an assumption that decides it.
struct Turning {
    simulator::WhatIfRow const* fastest;
    simulator::WhatIfRow const* other;
    simulator::TurningPoint point;
};

void result_fields(Turning const& turning, auto& field) {
    field("name", turning.point.constant.name);
    field("value", turning.point.constant.value);
    field("turns_at", turning.point.value);
    field("upwards", turning.point.upwards);
    field("within_range", !turning.point.beyond);
    field("fastest", turning.fastest->request.gpus);
    field("then_faster", turning.other->request.gpus);
}

/// What turns the order of the fastest set of GPUs and the second one, and of the fastest and the
/// one with most GPUs; empty if rows differ in something else, or links were changed.
[[nodiscard]] Expected<std::vector<Turning>>
turning_points(std::vector<MachineRows> const& answers,
               std::vector<simulator::WhatIfRow> const& rows);
/// A sentence for each.
[[nodiscard]] std::string turning_text(std::vector<Turning> const& turning);

/// What a row's machine takes for it.
struct RowCost {
    double keys_per_joule = 0.0;
    std::optional<double> keys_per_dollar;
};

void result_fields(RowCost const& cost, auto& field) {
    field("keys_per_joule", cost.keys_per_joule);
    field("keys_per_dollar", cost.keys_per_dollar);
}

/// nullopt where the row did not run or its platform file says nothing of it.
[[nodiscard]] std::optional<RowCost> cost_of(simulator::WhatIfRow const& row,
                                             std::vector<MachineRows> const& answers);
/// A line for each machine: its row that sorts most keys a joule.
[[nodiscard]] std::string cost_text(std::vector<MachineRows> const& answers);

} // namespace keyswap::tools
