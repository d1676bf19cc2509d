#pragma once

/// \file Random runs of every operation and every sort, all in agreement with the model.

#include "model/verify/recorded_run.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <string_view>

namespace keyswap::proptests {

/// A run of one of the sorts that the model knows, with any parameters that its row of the
/// catalogue allows. Inside of a property.
[[nodiscard]] model::verify::RecordedRun any_right_sort(std::string_view algorithm);

/// A run of any operation: multisplits, shuffles, histograms, steps of a sort that nobody knows,
/// searches, and any of the sorts above. Inside of a property.
/// \param folder for the columns of labels; must outlive the run
[[nodiscard]] model::verify::RecordedRun
arbitrary_valid_run(testing::TemporaryFolder const& folder);

} // namespace keyswap::proptests
