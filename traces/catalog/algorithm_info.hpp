#pragma once

/// \file What is known of an algorithm by name: its variants, its parameters with their limits and
/// what it can be given. Plain data that model, simulator, kernels and tools share; nothing here
/// decides how keys are sorted.

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

/// A parameter of an algorithm, as --digit-bits and `digit_bits` in files.
struct ParameterInfo {
    std::string_view name;        ///< "digit-bits"
    std::string_view unit;        ///< "bits", "ppm of a chunk"
    std::string_view description; ///< one line, for --help
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    std::uint64_t default_value = 0; ///< if none is given
    std::string_view source;         ///< of the default
};

/// One way of carrying an algorithm out. All variants of an algorithm give the same keys to the
/// same GPUs.
struct VariantInfo {
    std::string_view name;            ///< "paper"
    std::string_view description;     ///< one line
    std::optional<SwapLayout> layout; ///< of its exchange; nullopt if none moves buckets
    std::string_view published_name;  ///< in the published measurement files; empty if in none
};

/// How many GPUs an algorithm is planned and simulated for. The kernels of P2P merge sort take any
/// number, and so may recorded runs of it.
enum class GpuCounts {
    none, ///< it runs on CPUs
    one,
    power_of_two,
    any
};

/// Where keys lie before and after.
enum class Residence { host, devices };

/// One algorithm. Spans point to data that lives as long as the program.
struct AlgorithmInfo {
    std::string_view name;        ///< "p2p-merge": letters a-z, digits and dashes
    std::string_view description; ///< one line
    std::string_view source;      ///< paper
    Operation operation = Operation::sort;
    std::span<VariantInfo const> variants; ///< at least one; the first is meant where none is named
    std::span<ParameterInfo const> parameters; ///< in the order of their options
    GpuCounts gpus = GpuCounts::any;
    std::span<Residence const> residences;
    std::span<KeyType const> key_types;
    std::span<ValueType const> value_types;
    Stability stability = Stability::unstable; ///< what it promises
    std::span<Phase const> phases;             ///< that a run of any variant can have
    /// What a checker has to find of its result: "sorted", "permutation", "balance" ...
    std::span<std::string_view const> properties;
};

/// Whether an algorithm of those counts runs on so many GPUs; one for CPUs takes one chunk.
[[nodiscard]] bool takes_gpus(GpuCounts counts, std::uint32_t gpu_count);

/// Says that a sort does not take keys of that type, and which do.
[[nodiscard]] Expected<void> check_key_type(AlgorithmInfo const& algorithm, KeyType type);

/// The parameter of that name, null where the algorithm has none.
[[nodiscard]] ParameterInfo const* find_parameter(AlgorithmInfo const& algorithm,
                                                  std::string_view name);

/// For rows of algorithms that take anything.
inline constexpr std::array every_value_type{ValueType::none, ValueType::bits32, ValueType::bits64};
inline constexpr std::array every_residence{Residence::host, Residence::devices};
inline constexpr std::array host_only{Residence::host};

} // namespace keyswap
