#pragma once

/// \file What may have made an output wrong: known mistakes, each held against all keys of both
/// files. A guess says what the files look like, not what the program did.

#include "model/check/cause.hpp"
#include "model/keys/stored_keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

/// The likeliest cause that explains every key; nullopt if none does. Reads both files a few
/// times more; memory does not grow with them. \pre the output is wrong, the type as wide as Word
template <class Word>
[[nodiscard]] Expected<std::optional<CauseGuess>> guess_cause(StoredKeys const& input,
                                                              StoredKeys const& output,
                                                              ImageRule<Word> const& rule,
                                                              Symptoms const& symptoms,
                                                              unsigned thread_count);

} // namespace keyswap::model
