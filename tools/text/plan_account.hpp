#pragma once

/// \file Formats plans as text and JSON.

#include "model/sorts/algorithm.hpp"
#include "tools/text/json.hpp"

#include <cstddef>
#include <ostream>

namespace keyswap::tools {

/// Level of detail of a formatted plan.
struct AccountDetail {
    bool buckets = false; ///< every final bucket
    bool all = false;     ///< all rows of every table instead of the first
};

/// Writes passes, spanning buckets, placement, balance, copies and sort groups as text.
void write_account(model::SortPlan const& plan, AccountDetail detail, std::ostream& out);

/// The contents of write_account() as JSON.
[[nodiscard]] Json plan_json(model::SortPlan const& plan, AccountDetail detail);

} // namespace keyswap::tools
