#pragma once

/// \file The phases of a run: the one list that the kernels time, the simulator predicts and
/// reports compare.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace keyswap {

/// Traces store the text of a phase, so existing texts must never change.
enum class Phase {
    host_to_device,
    histogram,
    scatter,
    planning,
    key_swap,
    bucket_sort,
    bucket_sort_and_copy_back, ///< copies back overlapped with the sort of later buckets
    sort,                      ///< of a whole chunk at once
    merge,                     ///< on GPUs, including the swaps before it
    device_to_host,
    cpu_merge,
    cpu_sort
};

/// "host to device", "key swap", "CPU merge" ...
[[nodiscard]] std::string_view to_string(Phase phase);

/// The inverse; nullopt for a phase that only one sort has, which is not in the list.
[[nodiscard]] std::optional<Phase> phase_of(std::string_view text);

/// All phases, in execution order.
[[nodiscard]] std::span<Phase const> phases();

/// The phase of a recorded time: one of the list, or free text for a sort's own phase.
class PhaseName {
  public:
    PhaseName() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): every phase is a name
    PhaseName(Phase phase) : name_(phase) {}
    /// The listed phase with that text, else the text itself.
    [[nodiscard]] static PhaseName of(std::string text);

    /// nullopt if the text is not in the list.
    [[nodiscard]] std::optional<Phase> phase() const;
    [[nodiscard]] std::string_view text() const;

    friend bool operator==(PhaseName const&, PhaseName const&) = default;

  private:
    std::variant<std::string, Phase> name_; ///< invariant: the string is not in the list
};

} // namespace keyswap
