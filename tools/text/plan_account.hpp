#pragma once

/// \file A plan as text, and as JSON.

#include "model/sorts/algorithm.hpp"
#include "tools/text/json.hpp"

#include <cstddef>
#include <ostream>

namespace keyswap::tools {

/// How much of a plan is listed.
struct AccountDetail {
    bool buckets = false; ///< every final bucket
    bool all = false;     ///< all rows of every table instead of the first
};

/// Passes, spanning buckets, placement, balance, copies and sort groups as text.
void write_account(model::SortPlan const& plan, AccountDetail detail, std::ostream& out);

/// The same as JSON.
[[nodiscard]] Json plan_json(model::SortPlan const& plan, AccountDetail detail);

} // namespace keyswap::tools
