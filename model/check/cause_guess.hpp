#pragma once

/// \file Guesses why an output is wrong: compares known failure modes with all keys of both files.
/// A guess describes the files, not what the program did.

#include "model/check/cause.hpp"
#include "model/key_files/stored_keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

/// The most likely cause that explains every key; nullopt if none does. Reads both files a few more
/// times, in constant memory. \pre the output is wrong; the type has the width of Word
template <class Word>
[[nodiscard]] Expected<std::optional<CauseGuess>> guess_cause(StoredKeys const& input,
                                                              StoredKeys const& output,
                                                              ImageRule<Word> const& rule,
                                                              Symptoms const& symptoms,
                                                              unsigned thread_count);

} // namespace keyswap::model
