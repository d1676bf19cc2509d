#pragma once

/// \file Sample sort of records by a comparator, on one GPU, for code that nvcc compiles. Source:
/// GPU Sample Sort (Leischner, Osipov, Sanders, IPDPS 2010), section 4, which needs comparisons
/// only; equality buckets, size classes and the final block-level merge sort by CUB are our
/// additions. For records wider than 64 bytes or further columns, sort row numbers with the key and
/// apply permute.cuh.

#include "kernels/device/cuda_error.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/sort.hpp"
#include "kernels/sorts/sample/record_kernels.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace keyswap::kernels {

/// Sorts up to count_max records by `less`; allocates all memory on creation. Not stable: records
/// that compare equal end up in any order, which may differ from run to run. Calls must not
/// overlap; different sorters are independent.
/// \tparam Record any trivially copyable type of 1 to 64 bytes
/// \tparam Less callable on the device: (Record, Record) -> bool, a strict weak order. Records are
/// equal if neither is less; no other operation is used. It is copied to the device.
template <class Record, class Less>
class RecordSorter {
    static_assert(std::is_trivially_copyable_v<Record>, "records are moved as bytes");
    static_assert(sizeof(Record) <= record_bytes_max,
                  "records have 64 bytes at most; sort (key, row number) and permute the rest");
    static_assert(std::is_trivially_copyable_v<Less>, "the comparator is copied to the device");
    using Kernels = record_sort_detail::RecordKernels<Record, Less>;

  public:
    /// Allocates all memory for sorts on the current device: a second buffer of count_max records,
    /// about one byte more per record, and 120 MB at most.
    [[nodiscard]] static SortExpected<RecordSorter> create(std::uint64_t count_max,
                                                           Less less = Less{}) {
        int device = 0;
        if (cudaGetDevice(&device) != cudaSuccess) {
            return tl::unexpected(
                SortError{SortErrorCode::no_such_device,
                          "there is no device (is there a GPU, and its driver?)"});
        }
        try {
            Kernels::prepare();
            return RecordSorter(device, count_max, std::move(less));
        } catch (CudaFailure const& failure) {
            return tl::unexpected(error_of(failure, InputState::intact));
        }
    }

    [[nodiscard]] std::uint64_t count_max() const { return levels_.count_max(); }

    /// Sorts in place, in the caller's stream, without allocating; returns when the records are
    /// sorted. A comparator that is not a strict weak order results in an arbitrary order or an
    /// error. After an error with InputState::lost the contents of the array are undefined.
    /// \param records [count] device, aligned to the largest power of two that divides their size,
    /// at most 16: true for memory of cudaMalloc and every record in such an array
    [[nodiscard]] SortExpected<void>
    operator()(Record* records, std::uint64_t count, cudaStream_t stream = nullptr) {
        if (count > levels_.count_max()) {
            return tl::unexpected(invalid(std::to_string(count) + " records are more than the " +
                                          std::to_string(levels_.count_max()) +
                                          " that memory was allocated for"));
        }
        if (!is_aligned_to_words(records, sizeof(Record))) {
            return tl::unexpected(invalid(
                "records of " + std::to_string(sizeof(Record)) + " bytes have to be aligned to " +
                std::to_string(record_word_bytes(sizeof(Record))) +
                " (take an address that cudaMalloc gave, or a whole number of records "
                "behind it)"));
        }
        return levels_.sort(Kernels{less_, records, spare_.data(), trees_.data()}, count, stream);
    }

  private:
    RecordSorter(int device, std::uint64_t count_max, Less less)
        : less_(std::move(less)), levels_(device, record_shape(sizeof(Record)), count_max),
          spare_(device, count_max), trees_(device, levels_.segments_max()) {}

    [[nodiscard]] static SortError invalid(std::string message) {
        return {SortErrorCode::invalid_option, std::move(message)};
    }

    Less less_;
    RecordLevels levels_;
    DeviceBuffer<typename Kernels::Slot> spare_;
    DeviceBuffer<typename Kernels::Tree> trees_;
};

} // namespace keyswap::kernels
