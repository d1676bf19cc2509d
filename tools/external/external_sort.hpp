#pragma once

/// \file Sorts what is larger than memory: the steps of model/external carried out on files, with
/// reading, computing and writing at the same time, in bounded memory, and so that a sort that was
/// killed at any moment goes on where it was.

#include "tools/external/external_run.hpp"

namespace keyswap::tools {

/// Writes the outputs, sorted and checked, under their names, and removes the scratch folder.
/// \param ranks each calls this, with the same job but for `rank`; null: this process sorts alone
/// \return an error after which the same call goes on, or one that says why it cannot. Rank 0 has
/// the whole result
/// \throws RankFailure
[[nodiscard]] Expected<ExternalResult> sort_external(ExternalJob const& job,
                                                     ExternalControl const& control,
                                                     Storage& storage,
                                                     model::Communicator* ranks = nullptr);

} // namespace keyswap::tools
