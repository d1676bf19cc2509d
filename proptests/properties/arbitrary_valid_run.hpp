#pragma once

/// \file Random runs of every operation and sort that agree with the model.

#include "model/verify/recorded_run.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <string_view>

namespace keyswap::proptests {

/// A random run of `algorithm`, with any parameters that its row of the catalogue allows. Call
/// inside a property.
[[nodiscard]] model::verify::RecordedRun any_right_sort(std::string_view algorithm);

/// A random run of any operation: multisplits, shuffles, histograms, steps of an unknown sort,
/// searches, and any sort as above. Call inside a property.
/// \param folder for label columns; must outlive the run
[[nodiscard]] model::verify::RecordedRun
arbitrary_valid_run(testing::TemporaryFolder const& folder);

} // namespace keyswap::proptests
