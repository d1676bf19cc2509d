#pragma once

/// \file The phases of a run: the one list that kernels time, the simulator predicts and reports
/// compare.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace keyswap {

/// Traces hold a phase by its text, which is why a text never changes.
enum class Phase {
    host_to_device,
    histogram,
    scatter,
    planning,
    key_swap,
    bucket_sort,
    bucket_sort_and_copy_back, ///< where the copies back overlap the sort of later buckets
    sort,                      ///< of a whole chunk
    merge,                     ///< on GPUs, with the swaps before it
    device_to_host,
    cpu_merge,
    cpu_sort
};

/// "host to device", "key swap", "CPU merge" ...
[[nodiscard]] std::string_view to_string(Phase phase);

/// The inverse; nullopt for the words of a sort that has phases of its own.
[[nodiscard]] std::optional<Phase> phase_of(std::string_view text);

/// All phases, in the order in which a run goes through them.
[[nodiscard]] std::span<Phase const> phases();

/// The phase of a recorded time: one of the list, or the words of a sort that has its own.
class PhaseName {
  public:
    PhaseName() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): every phase is a name
    PhaseName(Phase phase) : name_(phase) {}
    /// The phase of that text where there is one.
    [[nodiscard]] static PhaseName of(std::string text);

    /// nullopt for words that are not of the list.
    [[nodiscard]] std::optional<Phase> phase() const;
    [[nodiscard]] std::string_view text() const;

    friend bool operator==(PhaseName const&, PhaseName const&) = default;

  private:
    std::variant<std::string, Phase> name_; ///< a text is never that of a phase
};

} // namespace keyswap
