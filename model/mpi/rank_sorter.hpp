#pragma once

/// \file Public interface of sorts on MPI processes: each rank passes keys and receives its part of
/// the sorted whole. Same engine as `keyswap sort --ranks mpi`, in host memory;
/// `find_package(keyswap COMPONENTS ranks)` provides keyswap::ranks if MPI was found.
///
///     auto sorter = keyswap::model::RankSorter::create(MPI_COMM_WORLD);
///     if (!sorter) { ... sorter.error().message() ... }
///     auto share = sorter->sort(std::move(prices));              // std::vector<float>
///     if (share) { use(share->keys, share->first_index); }
///
/// model/examples/sort_prices.cpp is a complete program.

#include "model/keys/key_arrays.hpp"
#include "model/keys/key_order.hpp"
#include "model/mpi/mpi_communicator.hpp"
#include "model/sorts/algorithm.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/sort_shape.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::model {

/// Options of the sort; must be the same on every rank.
struct RankSortOptions : SortParameters {
    std::string algorithm = "rmg"; ///< or "sample-sort", whose shares remain even under skew
    Direction direction = Direction::ascending;
    /// Time limit for waiting for other ranks in a step.
    std::chrono::milliseconds patience = std::chrono::seconds(60);
};

/// A rank's contiguous part of the sorted keys.
template <Key K, class Value = NoValue>
struct RankShare {
    std::vector<K> keys;           ///< ascending by rank; about n / ranks keys
    std::vector<Value> values;     ///< [keys.size()] value of each key; empty if Value is NoValue
    std::uint64_t first_index = 0; ///< index of keys[0] among all sorted keys
    std::uint64_t key_count = 0;   ///< n, the total over all ranks
};

template <class T>
concept RankValue = std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;

/// Sorts on the ranks of an MPI communicator. Keeps only a duplicate of the communicator between
/// calls; sorters are independent of each other. Neither initializes nor finalizes MPI.
///
/// Every call is collective: all ranks must make it, with the same types. A predictable error
/// (options, sizes) is returned on all ranks, and the sorter remains usable. Any other error (a
/// rank that exited, stopped or ran out of memory) reaches all remaining ranks within `patience`;
/// afterwards every call on the sorter returns an error.
class RankSorter {
  public:
    /// \pre MPI was initialized with MPI_THREAD_FUNNELED or more, and this thread may call it
    /// Errors: MPI is not initialized so; an unknown algorithm or one without a bucket exchange;
    /// parameters out of range; options that differ between ranks.
    [[nodiscard]] static Expected<RankSorter> create(MPI_Comm comm,
                                                     RankSortOptions const& options = {});

    /// Sorts the keys of all ranks; floats are in IEEE 754 total order. The result is checked
    /// (sorted within and between ranks, same multiset, balanced) with communication independent of
    /// the number of keys; a failed check is an error. \param keys any number on each rank,
    /// including none
    template <Key K>
    [[nodiscard]] Expected<RankShare<K>> sort(std::vector<K> keys);
    /// Like sort() above, with a value that moves with each key.
    /// \param values [keys.size()]
    template <Key K, RankValue Value>
    [[nodiscard]] Expected<RankShare<K, Value>> sort(std::vector<K> keys,
                                                     std::vector<Value> values);

  private:
    RankSorter(std::unique_ptr<MpiCommunicator> ranks,
               RankSortOptions options,
               Algorithm const& algorithm)
        : ranks_(std::move(ranks)), options_(std::move(options)), algorithm_(&algorithm) {}

    template <Key K, class Value>
    Expected<RankShare<K, Value>> sort_share(std::vector<K> keys, std::vector<Value> values);
    template <Key K, class Value>
    Expected<RankShare<K, Value>> sort_checked(std::vector<K>& keys, std::vector<Value>& values);

    std::unique_ptr<MpiCommunicator> ranks_;
    RankSortOptions options_;
    Algorithm const* algorithm_;
};

} // namespace keyswap::model
