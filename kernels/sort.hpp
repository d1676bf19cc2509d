#pragma once

/// \file The multi-GPU sort: RMG sort (Ilic, Tolovski, Rabl: RMG Sort, BTW 2023) on real GPUs, from
/// host memory to host memory or on chunks that lie on the GPUs already, and two merge sorts to
/// compare it with. No CUDA header is needed.

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

/// Names of the sorts that there are kernels for, as in the catalogue.
[[nodiscard]] std::span<std::string_view const> gpu_sorts();
[[nodiscard]] bool runs_on_gpus(AlgorithmInfo const& algorithm);
/// Those of them that sort keys of 16 bytes.
[[nodiscard]] std::span<std::string_view const> wide_gpu_sorts();
[[nodiscard]] bool runs_on_gpus(AlgorithmInfo const& algorithm, KeyType type);

/// What a sorter sorts and by which parameters. The zero order `equal` is refused, and so are
/// digits of more than 12 bits.
struct SortOptions : SortShape, SortParameters {
    AlgorithmChoice choice = choose("rmg", "fast").value(); ///< one of gpu_sorts()
    FastTuning tuning;
    /// Device number of each GPU in order, 1 to 64; a number may come again: virtual GPUs.
    std::vector<int> devices = {0};
};

enum class SortErrorCode {
    invalid_option,       ///< the options contradict themselves or what is supported
    no_such_device,       ///< no driver, or no device of that number
    out_of_device_memory, ///< the message says how much is needed and what would fit
    device_failure,       ///< a CUDA call failed
    rank_failure          ///< another rank ended, stopped or was started otherwise (rank_sort.hpp)
};

/// Whether the caller's keys are still as they were given.
enum class InputState { intact, lost };

struct SortError {
    SortErrorCode code = SortErrorCode::device_failure;
    std::string message; ///< what happened and what to try
    InputState input = InputState::intact;
};

template <class T>
using SortExpected = tl::expected<T, SortError>;

/// Device memory that a sorter needs for a number of keys.
struct WorkspaceSize {
    std::uint64_t key_capacity = 0;       ///< C + 2E: keys that a chunk must have room for
    std::uint64_t scratch_bytes = 0;      ///< a GPU, owned by the sorter in any case
    std::uint64_t chunk_buffer_bytes = 0; ///< a GPU, two buffers for keys and for values each
    [[nodiscard]] std::uint64_t bytes_per_gpu() const { return scratch_bytes + chunk_buffer_bytes; }
};

/// One GPU's chunk in device memory, for sort_in_place. Both buffers have room for `key_capacity`
/// keys (values) and belong to the caller.
struct DeviceChunk {
    void* keys = nullptr; ///< holds the GPU's share of the input: keys [iC, min((i+1)C, n))
    void* alternate_keys = nullptr;
    void* values = nullptr; ///< null without values
    void* alternate_values = nullptr;
    void* stream = nullptr; ///< a cudaStream_t of the device; null = the sorter's own stream
};

/// Where the sorted keys of a GPU lie afterwards.
struct SortedChunk {
    std::uint64_t base = 0;    ///< global index of the first
    std::uint64_t count = 0;   ///< at most key_capacity
    bool in_alternate = false; ///< in alternate_keys rather than keys
};

/// Result of a sort.
struct SortReport {
    int passes = 0;                     ///< partitioning passes run
    std::vector<SortedChunk> chunks;    ///< [g]
    std::vector<PhaseTimeRecord> times; ///< empty unless measured
    bool peer_access = true;            ///< false: some pairs copy through the host
};

enum class PhaseTiming { off, on };

/// Who owns the two buffers for keys (and for values) on each GPU.
enum class ChunkBuffers {
    sorter, ///< for sort(): allocated once, on creation
    caller  ///< for sort_in_place()
};

class SorterState;

/// A sort for up to a number of keys on a set of GPUs; its memory, streams and events are made once
/// and reused by every call. One call at a time; different sorters are independent.
class Sorter {
  public:
    /// Allocates everything. \param key_count_max n of any later call is at most this
    [[nodiscard]] static SortExpected<Sorter>
    create(SortOptions const& options, std::uint64_t key_count_max, ChunkBuffers buffers);
    Sorter(Sorter&&) noexcept;
    Sorter& operator=(Sorter&&) noexcept;
    ~Sorter();

    [[nodiscard]] SortOptions const& options() const;
    [[nodiscard]] std::uint64_t key_count_max() const;
    [[nodiscard]] WorkspaceSize workspace() const;

    /// The header of a trace of a run of n keys: configuration, GPUs, device and driver. Program,
    /// commit, date and input are the caller's to fill.
    [[nodiscard]] RunHeader describe(std::uint64_t key_count) const;

    /// Sorts host memory in buffer; pinned memory (HostMemory) is several times faster.
    /// \param keys [key_count], aligned to the key type; a b128 key is the number that its bytes
    /// are when read from the most significant on \param values [key_count], null without values
    /// \param trace takes the run's records; null = none
    /// \pre created with ChunkBuffers::sorter
    [[nodiscard]] SortExpected<SortReport> sort(void* keys,
                                                void* values,
                                                std::uint64_t key_count,
                                                PhaseTiming timing = PhaseTiming::off,
                                                TraceSink* trace = nullptr);

    /// Sorts chunks that lie on the GPUs. Work is queued in the chunks' streams; the call returns
    /// when it is done. \pre created with ChunkBuffers::caller; one chunk a GPU
    [[nodiscard]] SortExpected<SortReport> sort_in_place(std::span<DeviceChunk const> chunks,
                                                         std::uint64_t key_count,
                                                         PhaseTiming timing = PhaseTiming::off,
                                                         TraceSink* trace = nullptr);

  private:
    explicit Sorter(std::unique_ptr<SorterState> state);
    std::unique_ptr<SorterState> state_;
};

/// Memory per GPU for a number of keys, without allocating any. Needs a device for CUB's share.
[[nodiscard]] SortExpected<WorkspaceSize> workspace_size(SortOptions const& options,
                                                         std::uint64_t key_count);

/// Keys that a sorter with buffers of its own takes at most. \param bytes_per_gpu that it may take;
/// nullopt: what is free
[[nodiscard]] SortExpected<std::uint64_t> keys_that_fit(SortOptions const& options,
                                                        std::optional<std::uint64_t> bytes_per_gpu);

/// Pins host memory of the caller's for fast transfers, until the object goes. Where memory cannot
/// be pinned it stays as it is: transfers are slower then.
class HostPin {
  public:
    HostPin(void* data, std::size_t bytes);
    HostPin(HostPin&&) noexcept;
    HostPin& operator=(HostPin&&) noexcept;
    ~HostPin();
    [[nodiscard]] bool is_pinned() const { return data_ != nullptr; }

  private:
    void* data_ = nullptr;
};

/// Pinned host memory for fast transfers.
class HostMemory {
  public:
    [[nodiscard]] static SortExpected<HostMemory> allocate(std::size_t bytes);
    HostMemory(HostMemory&&) noexcept;
    HostMemory& operator=(HostMemory&&) noexcept;
    ~HostMemory();
    [[nodiscard]] void* data() const { return data_; }
    [[nodiscard]] std::size_t size_bytes() const { return bytes_; }

  private:
    HostMemory(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// CUDA devices that this process can see; 0 without a driver.
[[nodiscard]] int device_count();

} // namespace keyswap::kernels
