#pragma once

/// \file Conclusions from the rows of `keyswap whatif`: break-even key count of two rows,
/// assumptions that decide an order, and energy and price per key.

#include "simulator/calibration/certainty.hpp"
#include "simulator/platform/running_cost.hpp"
#include "simulator/study/what_if.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::tools {

/// Results for one machine.
struct MachineRows {
    simulator::Machine machine;
    std::vector<simulator::WhatIfRow> rows;
    bool sampled = false;                          ///< true: not every set of GPUs was tried
    std::optional<simulator::RunningCost> running; ///< if requested and known
};

void result_fields(MachineRows const& answer, auto& field) {
    field("platform", answer.machine.platform.name);
    field("platform_hash", hash_text(platform_hash(answer.machine.platform)));
    field("device_profile", answer.machine.device.name);
    field("all_sets_tried", !answer.sampled);
}

/// Key count from which on the second of two rows is faster, as a sentence and for
/// --json.
/// \return an error unless there are two rows
[[nodiscard]] Expected<std::pair<std::string, Json>>
break_even_of(std::vector<MachineRows> const& answers);

/// A slower set of GPUs, and the constant whose change would make it the fastest.
struct OrderChange {
    simulator::WhatIfRow const* fastest;
    simulator::WhatIfRow const* other;
    simulator::TurningPoint point;
};

void result_fields(OrderChange const& turning, auto& field) {
    field("name", turning.point.constant.name);
    field("value", turning.point.constant.value);
    field("turns_at", turning.point.value);
    field("upwards", turning.point.upwards);
    field("within_range", !turning.point.beyond);
    field("fastest", turning.fastest->request.gpus);
    field("then_faster", turning.other->request.gpus);
}

/// OrderChange points between the fastest and the second set of GPUs, and between the fastest and
/// the largest set; empty if rows differ in other parameters, or if links were changed.
[[nodiscard]] Expected<std::vector<OrderChange>>
turning_points(std::vector<MachineRows> const& answers,
               std::vector<simulator::WhatIfRow> const& rows);
/// One sentence per turning point.
[[nodiscard]] std::string turning_text(std::vector<OrderChange> const& turning);

/// Energy and price of a row on its machine.
struct RowCost {
    double keys_per_joule = 0.0;
    std::optional<double> keys_per_dollar;
};

void result_fields(RowCost const& cost, auto& field) {
    field("keys_per_joule", cost.keys_per_joule);
    field("keys_per_dollar", cost.keys_per_dollar);
}

/// nullopt if the row did not run or its platform file lacks the data.
[[nodiscard]] std::optional<RowCost> cost_of(simulator::WhatIfRow const& row,
                                             std::vector<MachineRows> const& answers);
/// One line per machine: the row with the most keys per joule.
[[nodiscard]] std::string cost_text(std::vector<MachineRows> const& answers);

} // namespace keyswap::tools
