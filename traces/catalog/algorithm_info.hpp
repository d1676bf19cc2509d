#pragma once

/// \file Properties of algorithms, by name: variants, parameters with their limits, accepted types
/// and GPU counts. Plain data shared by model, simulator, kernels and tools; nothing here
/// affects how keys are sorted.

#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"
#include "traces/records/operation.hpp"
#include "traces/records/phase.hpp"
#include "traces/records/swap_layout.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace keyswap {

/// A parameter of an algorithm; option `--digit-bits`, field `digit_bits` in files.
struct ParameterInfo {
    std::string_view name;        ///< "digit-bits"
    std::string_view unit;        ///< "bits", "ppm of a chunk"
    std::string_view description; ///< one line, for --help
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    std::uint64_t default_value = 0; ///< used if the option is absent
    std::string_view source;         ///< origin of the default, such as a paper's section
};

/// One implementation of an algorithm. All variants of an algorithm assign the same keys to the
/// same GPUs.
struct VariantInfo {
    std::string_view name;            ///< "paper"
    std::string_view description;     ///< one line
    std::optional<SwapLayout> layout; ///< of its exchange; nullopt if it exchanges no buckets
    std::string_view published_name;  ///< name in published measurement files; empty if in none
};

/// GPU counts that planning and simulation of an algorithm support. The kernels of P2P merge sort
/// support any count, and so may recorded runs.
enum class GpuCounts {
    none, ///< CPU only
    one,
    power_of_two,
    any
};

/// Where the keys are before and after the sort.
enum class Residence { host, devices };

/// One algorithm. Spans point to data that lives as long as the program.
struct AlgorithmInfo {
    std::string_view name;        ///< "p2p-merge": letters a-z, digits and dashes
    std::string_view description; ///< one line
    std::string_view source;      ///< paper
    Operation operation = Operation::sort;
    std::span<VariantInfo const> variants;     ///< at least one; the first is the default
    std::span<ParameterInfo const> parameters; ///< in the order of their options
    GpuCounts gpus = GpuCounts::any;
    std::span<Residence const> residences;
    std::span<KeyType const> key_types;
    Stability stability = Stability::unstable; ///< strongest guarantee that it offers
    std::span<Phase const> phases;             ///< possible in a run of any variant
    /// Properties of the result that a checker must verify: "sorted", "permutation", "balance" ...
    std::span<std::string_view const> properties;
};

/// True if an algorithm with these counts supports `gpu_count` GPUs; a CPU sort requires 1.
[[nodiscard]] bool takes_gpus(GpuCounts counts, std::uint32_t gpu_count);

/// \return an error if the sort does not accept the type; its remedy names those that do
[[nodiscard]] Expected<void> check_key_type(AlgorithmInfo const& algorithm, KeyType type);

/// nullptr if the algorithm has no parameter with that name.
[[nodiscard]] ParameterInfo const* find_parameter(AlgorithmInfo const& algorithm,
                                                  std::string_view name);

/// For algorithms without restrictions.
inline constexpr std::array every_residence{Residence::host, Residence::devices};
inline constexpr std::array host_only{Residence::host};

} // namespace keyswap
