#pragma once

#include "tools/options/sort_request.hpp"
#include "tools/text/json.hpp"
#include "tools/text/plan_account.hpp"

#include <string_view>

namespace keyswap::tools {

/// Output of `keyswap plan --json`. \param source how the keys were counted
[[nodiscard]] Json plan_document(SortRequest const& request,
                                 std::string_view source,
                                 model::SortPlan const& plan,
                                 AccountDetail detail);

} // namespace keyswap::tools
