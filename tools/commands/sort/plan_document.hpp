#pragma once

#include "tools/options/sort_request.hpp"
#include "tools/text/json.hpp"
#include "tools/text/plan_account.hpp"

#include <string_view>

namespace keyswap::tools {

/// What `keyswap plan --json` prints of a plan. \param source how its keys were counted
[[nodiscard]] Json plan_document(SortRequest const& request,
                                 std::string_view source,
                                 model::SortPlan const& plan,
                                 AccountDetail detail);

} // namespace keyswap::tools
