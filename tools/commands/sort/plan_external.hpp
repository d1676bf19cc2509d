#pragma once

/// \file `keyswap plan --external`: plans a sort of keys that do not fit into memory.

#include "model/external/external_plan.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/text/json.hpp"

#include <iosfwd>
#include <string_view>

namespace keyswap::tools {

/// \param lists_all true: all ranges; false: only the first and last few
void print_external_plan(SortRequest const& request,
                         std::string_view source,
                         model::ExternalPlan const& plan,
                         bool lists_all,
                         std::ostream& out);

[[nodiscard]] Json external_plan_document(SortRequest const& request,
                                          std::string_view source,
                                          model::ExternalPlan const& plan);

} // namespace keyswap::tools
