#pragma once

/// \file Sorts inputs larger than memory: carries out the steps of model/external on files.
/// Reading, computing and writing overlap, in bounded memory; a sort killed at any time can be
/// continued.

#include "tools/external/external_run.hpp"

namespace keyswap::tools {

/// Writes the sorted, checked outputs under their names and removes the scratch folder.
/// \param ranks each rank makes this call, with the same job except `rank`; null: single process
/// \return the result, complete on rank 0 only; or an error: its remedy says whether the same call
/// continues the sort
/// \throws RankFailure
[[nodiscard]] Expected<ExternalResult> sort_external(ExternalJob const& job,
                                                     ExternalControl const& control,
                                                     Storage& storage,
                                                     model::Communicator* ranks = nullptr);

} // namespace keyswap::tools
