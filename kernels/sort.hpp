#pragma once

/// \file The multi-GPU sorts: RMG sort (Ilic, Tolovski, Rabl: RMG Sort, BTW 2023) on real GPUs, on
/// arrays in host memory or chunks already on the GPUs, and the other sorts of gpu_sorts() for
/// comparison. No CUDA header is needed.

#include "kernels/exchange_plan/fast_tuning.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/records/records.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <memory>
#include <tl/expected.hpp>

namespace keyswap::kernels {

/// Catalogue names of all sorts implemented on GPUs.
[[nodiscard]] std::span<std::string_view const> gpu_sorts();
[[nodiscard]] bool runs_on_gpus(AlgorithmInfo const& algorithm);
/// The subset of gpu_sorts() that supports 16-byte keys.
[[nodiscard]] std::span<std::string_view const> wide_gpu_sorts();
[[nodiscard]] bool runs_on_gpus(AlgorithmInfo const& algorithm, KeyType type);

/// What a sorter sorts, and its parameters. Zero order `equal` and digits of more than 12 bits are
/// rejected.
struct SortOptions : SortShape, SortParameters {
    AlgorithmChoice choice = choose("rmg", "fast").value(); ///< one of gpu_sorts()
    FastTuning tuning;
    /// Device number of each GPU in order, 1 to 64; repeated numbers are virtual GPUs.
    std::vector<int> devices = {0};
};

enum class SortErrorCode {
    invalid_option,       ///< options contradict each other or are not supported
    no_such_device,       ///< no driver, or no device with that number
    out_of_device_memory, ///< the message names the required size and one that would fit
    device_failure,       ///< a CUDA call failed
    rank_failure          ///< another rank failed, stopped or has other options (rank_sort.hpp)
};

/// Whether the caller's keys are unchanged.
enum class InputState { intact, lost };

struct SortError {
    SortErrorCode code = SortErrorCode::device_failure;
    std::string message; ///< problem and what to try
    InputState input = InputState::intact;
};

template <class T>
using SortExpected = tl::expected<T, SortError>;

/// Arrays of keys and of their values.
template <class Byte> // void or void const
struct Columns {
    Byte* keys = nullptr;
    Byte* values = nullptr; ///< null without values
};

/// Device memory that a sorter needs for a given number of keys.
struct WorkspaceSize {
    std::uint64_t key_capacity = 0;       ///< C + 2E: number of keys a chunk's buffers must hold
    std::uint64_t scratch_bytes = 0;      ///< per GPU; always owned by the sorter
    std::uint64_t chunk_buffer_bytes = 0; ///< per GPU: two buffers each for keys and values
    [[nodiscard]] std::uint64_t bytes_per_gpu() const { return scratch_bytes + chunk_buffer_bytes; }
};

/// One GPU's chunk in device memory, for sort_in_place. Both buffers hold `key_capacity` keys
/// (values) and belong to the caller.
struct DeviceChunk {
    void* keys = nullptr; ///< on entry the GPU's input: keys [iC, min((i+1)C, n))
    void* alternate_keys = nullptr;
    void* values = nullptr; ///< null without values
    void* alternate_values = nullptr;
    void* stream = nullptr; ///< a cudaStream_t of the device; null: the sorter's own stream
};

/// Location of a GPU's sorted keys.
struct SortedChunk {
    std::uint64_t base = 0;    ///< global index of the first key
    std::uint64_t count = 0;   ///< at most key_capacity
    bool in_alternate = false; ///< true: in alternate_keys, false: in keys
};

/// Result of a sort.
struct SortReport {
    int passes = 0;                     ///< number of partitioning passes
    std::vector<SortedChunk> chunks;    ///< [g]
    std::vector<PhaseTimeRecord> times; ///< empty unless measured
    bool peer_access = true;            ///< false if some pairs of GPUs copy through the host
};

enum class PhaseTiming { off, on };

/// Owner of the two buffers for keys (and for values) on each GPU.
enum class ChunkBuffers {
    sorter, ///< for sort(): allocated once, on creation
    caller  ///< for sort_in_place()
};

class SorterState;

/// Sorts up to key_count_max keys on a set of GPUs; memory, streams and events are created once and
/// reused. Calls must not overlap; different sorters are independent.
class Sorter {
  public:
    /// Allocates all resources. \param key_count_max largest n of later calls
    [[nodiscard]] static SortExpected<Sorter>
    create(SortOptions const& options, std::uint64_t key_count_max, ChunkBuffers buffers);
    Sorter(Sorter&&) noexcept;
    Sorter& operator=(Sorter&&) noexcept;
    ~Sorter();

    [[nodiscard]] SortOptions const& options() const;
    [[nodiscard]] std::uint64_t key_count_max() const;
    [[nodiscard]] WorkspaceSize workspace() const;

    /// Trace header of a run of n keys: configuration, GPUs, device and driver. The caller fills in
    /// program, commit, date and input.
    [[nodiscard]] RunHeader describe(std::uint64_t key_count) const;

    /// Sorts an array in host memory in place; pinned memory (HostMemory) is several times faster.
    /// \param keys [key_count], aligned to the key type; the bytes of a b128 key are a number, most
    /// significant byte first \param values [key_count], null without values
    /// \param trace receives the run's records; may be null
    /// \pre created with ChunkBuffers::sorter
    [[nodiscard]] SortExpected<SortReport> sort(void* keys,
                                                void* values,
                                                std::uint64_t key_count,
                                                PhaseTiming timing = PhaseTiming::off,
                                                TraceSink* trace = nullptr);

    /// Sorts chunks in GPU memory. Queues work in the chunks' streams and waits for it.
    /// \pre created with ChunkBuffers::caller; one chunk per GPU
    [[nodiscard]] SortExpected<SortReport> sort_in_place(std::span<DeviceChunk const> chunks,
                                                         std::uint64_t key_count,
                                                         PhaseTiming timing = PhaseTiming::off,
                                                         TraceSink* trace = nullptr);

  private:
    explicit Sorter(std::unique_ptr<SorterState> state);
    std::unique_ptr<SorterState> state_;
};

/// Memory per GPU for a number of keys. Allocates none, but needs a device to query CUB's share.
[[nodiscard]] SortExpected<WorkspaceSize> workspace_size(SortOptions const& options,
                                                         std::uint64_t key_count);

/// Most keys that a sorter with its own buffers can sort. \param bytes_per_gpu memory limit;
/// nullopt: all free memory
[[nodiscard]] SortExpected<std::uint64_t> keys_that_fit(SortOptions const& options,
                                                        std::optional<std::uint64_t> bytes_per_gpu);

/// Pins the caller's host memory for fast transfers during the object's lifetime. If pinning fails,
/// the memory remains usable but transfers are slower.
class HostPin {
  public:
    HostPin(void* data, std::size_t bytes);
    [[nodiscard]] bool is_pinned() const { return data_ != nullptr; }

  private:
    std::unique_ptr<void, void (*)(void*)> data_;
};

/// Owned pinned host memory for fast transfers.
class HostMemory {
  public:
    [[nodiscard]] static SortExpected<HostMemory> allocate(std::size_t bytes);
    [[nodiscard]] void* data() const { return data_.get(); }
    [[nodiscard]] std::size_t size_bytes() const { return bytes_; }

  private:
    HostMemory(void* data, std::size_t bytes);
    std::unique_ptr<void, void (*)(void*)> data_;
    std::size_t bytes_ = 0;
};

/// CUDA devices visible to this process; 0 without a driver.
[[nodiscard]] int device_count();

} // namespace keyswap::kernels
