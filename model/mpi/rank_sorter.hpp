#pragma once

/// \file The public interface to sorts by processes: each rank of an MPI communicator gives keys,
/// and gets its stretch of all of them in order. It is the engine of `keyswap sort --ranks mpi`, on
/// host memory; `find_package(keyswap COMPONENTS ranks)` gives keyswap::ranks where MPI was found.
///
///     auto sorter = keyswap::model::RankSorter::create(MPI_COMM_WORLD);
///     if (!sorter) { ... sorter.error().message() ... }
///     auto share = sorter->sort(std::move(prices));              // std::vector<float>
///     if (share) { use(share->keys, share->first_index); }
///
/// model/examples/sort_prices.cpp is a whole program.

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

/// How keys are sorted; the same on every rank.
struct RankSortOptions : SortParameters {
    std::string algorithm = "rmg"; ///< or "sample-sort", whose shares skew leaves even
    Direction direction = Direction::ascending;
    /// How long a rank waits for the others at a step.
    std::chrono::milliseconds patience = std::chrono::seconds(60);
};

/// A rank's stretch of all keys in order.
template <Key K, class Value = NoValue>
struct RankShare {
    std::vector<K> keys;           ///< those of rank 0 come first; near n / ranks of them
    std::vector<Value> values;     ///< [keys.size()] each key's; empty if Value is NoValue
    std::uint64_t first_index = 0; ///< of this share among all keys
    std::uint64_t key_count = 0;   ///< n, of all ranks
};

template <class T>
concept RankValue = std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;

/// Sorts of the ranks of an MPI communicator. Keeps nothing from one call to the next but its
/// duplicate of the communicator; sorters are independent of each other. Starts and ends no MPI.
///
/// Every call is collective: all ranks make it, with the same types. An error that can be found
/// beforehand (options, sizes) reaches all ranks, and the sorter can be used again. After any other
/// (a rank that ended, stopped or ran out of memory), which all remaining ranks learn within
/// `patience`, each further call on it is an error.
class RankSorter {
  public:
    /// \pre MPI was started with MPI_THREAD_FUNNELED or more, and this thread may call it
    /// Errors: MPI is not so; an unknown algorithm, one that exchanges no buckets, parameters out
    /// of range; ranks with other options.
    [[nodiscard]] static Expected<RankSorter> create(MPI_Comm comm,
                                                     RankSortOptions const& options = {});

    /// Sorts the keys of all ranks; floats are in IEEE 754 total order. The result is checked
    /// (sorted within and between ranks, the same multiset, balanced) in communication that does
    /// not grow with the keys; one that fails is an error. \param keys of this rank, any number,
    /// none too
    template <Key K>
    [[nodiscard]] Expected<RankShare<K>> sort(std::vector<K> keys);
    /// The same with a value that travels with each key.
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
