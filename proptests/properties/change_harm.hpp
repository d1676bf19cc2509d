#pragma once

/// \file Whether changes of a recorded run do harm, without asking the checker.

#include "model/verify/recorded_run.hpp"
#include "proptests/properties/field_change.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Proves changes harmless: the run that the changed header names makes these very records, and the
/// records, carried out on its keys, give the sorted output.
/// \param fields that were changed
/// \returns what harm they do; nullopt if they provably do none
[[nodiscard]] std::optional<std::string>
observable_change(model::verify::RecordedRun const& changed,
                  std::vector<ChangedField> const& fields);

} // namespace keyswap::proptests
