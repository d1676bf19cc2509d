#pragma once

/// \file Decides whether changes of a recorded run are harmful, independently of the checker.

#include "model/verify/recorded_run.hpp"
#include "proptests/properties/field_change.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Drops empty ranges, whose begin has no meaning.
[[nodiscard]] std::vector<OwnershipRecord> filled(std::vector<OwnershipRecord> ownership);
/// Drops empty histograms, which a GPU without keys of a bucket may omit.
[[nodiscard]] std::vector<HistogramRecord> filled(std::vector<HistogramRecord> histograms);

/// Proves changes harmless: the run named by the changed header produces exactly these records, and
/// executing the records on its keys gives the sorted output.
/// \param fields the changed fields
/// \returns the harm; nullopt if the changes are provably harmless
[[nodiscard]] std::optional<std::string>
observable_change(model::verify::RecordedRun const& changed,
                  std::vector<ChangedField> const& fields);

} // namespace keyswap::proptests
