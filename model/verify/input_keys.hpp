#pragma once

/// \file The keys that a recorded run sorted, made again from what its header says.

#include "model/keys/key_file_reader.hpp"
#include "model/keys/key_source.hpp"
#include "model/verify/verify_limits.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model::verify {

/// The keys of a run as the images by which they are ordered: of the run's direction, and with
/// -0.0 as +0.0 where the run takes the two as equal.
class InputKeys {
  public:
    virtual ~InputKeys() = default;
    [[nodiscard]] virtual std::uint64_t key_count() const = 0;
    /// Counts these keys. Lives as long as this object.
    [[nodiscard]] virtual model::KeySource& source() = 0;
    /// Images of the keys from `begin` on, zero-extended. Any number of threads may call it.
    /// \pre begin + images.size() <= key_count(); keys have at most 64 bits
    virtual void images(std::uint64_t begin, std::span<std::uint64_t> images) const = 0;
    /// \pre begin + images.size() <= key_count()
    virtual void images(std::uint64_t begin, std::span<model::uint128> images) const = 0;
};

/// Keys up to this size are made once and kept; larger inputs are made again for each sweep.
inline constexpr std::uint64_t kept_bytes_max = std::uint64_t{64} << 20;

/// The keys, or why they are not available. The latter is not an error: what a trace says of itself
/// can be checked without its keys.
struct InputLookup {
    std::unique_ptr<InputKeys> keys; ///< null if they are not available
    std::string reason;              ///< why not
};

/// Makes the keys that a header names: from a seed of this generator's version, or from a file.
/// Errors are contradictions: an unknown distribution of a known generator, a file of another size
/// or type, or one that changed while it was read; and what goes beyond the limits.
[[nodiscard]] Expected<InputLookup> find_input(RunHeader const& header,
                                               VerifyLimits const& limits = {});

/// A file of the input's keys. \return why it cannot be one
[[nodiscard]] Expected<std::unique_ptr<model::KeyFileReader>> open_input(std::string const& path,
                                                                         RunHeader const& header);
/// The header's file has another number of keys. \param count "5", "more than 4"
[[nodiscard]] InputError another_count(RunHeader const& header, std::string const& count);

/// Keys that the caller has, as images of the run's direction. \pre as many as the run has
[[nodiscard]] std::unique_ptr<InputKeys> input_of(std::vector<std::uint32_t> images);
[[nodiscard]] std::unique_ptr<InputKeys> input_of(std::vector<std::uint64_t> images);
[[nodiscard]] std::unique_ptr<InputKeys> input_of(std::vector<model::uint128> images);

} // namespace keyswap::model::verify
