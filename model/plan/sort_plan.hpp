#pragma once

/// \file The plan of a sort, in one interface for all sorts. Commands, the checker of recorded
/// runs, the report and the simulator use nothing else.

#include "model/buckets/chunks.hpp"
#include "model/keys/key_arrays.hpp"
#include "model/plan/sort_config.hpp"
#include "model/plan/violation.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace keyswap::model {

struct Plan;

/// A GPU counts these keys by next digit or child, then scatters them into their sub-buckets.
struct ScatterStep {
    int pass = 1;
    GpuId gpu;
    std::uint64_t count = 0; ///< keys
    friend bool operator==(ScatterStep const&, ScatterStep const&) = default;
};

/// One operation on one GPU, or between two. Operations that traces record use the type of their
/// record.
using PlanStep = std::variant<ScatterStep, CopyRecord, SortRangeRecord, MergeRecord>;

/// Memory of a replay: keys in input order, and scratch space of the same size.
template <class Image, class Value>
struct ReplayMemory {
    KeyArrays<Image, Value> arrays;
    KeyArrays<Image, Value> scratch;
};

using AnyReplayMemory = std::variant<ReplayMemory<std::uint32_t, NoValue>,
                                     ReplayMemory<std::uint32_t, std::uint32_t>,
                                     ReplayMemory<std::uint32_t, std::uint64_t>,
                                     ReplayMemory<std::uint64_t, NoValue>,
                                     ReplayMemory<std::uint64_t, std::uint32_t>,
                                     ReplayMemory<std::uint64_t, std::uint64_t>,
                                     ReplayMemory<uint128, NoValue>,
                                     ReplayMemory<uint128, std::uint32_t>,
                                     ReplayMemory<uint128, std::uint64_t>>;

/// The plan of one sort of a given input.
class SortPlan {
  public:
    SortPlan() = default;
    SortPlan(SortPlan const&) = delete;
    SortPlan& operator=(SortPlan const&) = delete;
    virtual ~SortPlan() = default;

    [[nodiscard]] virtual SortConfig const& config() const = 0;
    [[nodiscard]] virtual Chunks const& chunks() const = 0;
    /// The buckets of a partitioning sort; null for a merge sort.
    [[nodiscard]] virtual Plan const* buckets() const { return nullptr; }
    /// [g] the range of the sorted order that each GPU owns at the end.
    [[nodiscard]] virtual std::vector<OwnershipRecord> ownership() const = 0;
    /// Maximum number of keys that the sort assigns to one GPU, for any input.
    [[nodiscard]] virtual std::uint64_t owned_max() const = 0;
    /// Layout of the exchange of buckets; nullopt if the sort exchanges none.
    [[nodiscard]] virtual std::optional<SwapLayout> layout() const = 0;
    /// Calls `visit` for every step, in execution order.
    virtual void for_each_step(std::function<void(PlanStep const&)> const& visit) const = 0;

    /// Lowest version of the trace format that supports the records of record().
    [[nodiscard]] virtual int trace_version() const = 0;
    /// Writes all decisions as a run would record them; the caller writes the header.
    virtual void record(TraceSink& sink) const = 0;
    /// Executes the plan on the memory's arrays, which are sorted afterwards.
    /// \param sink receives digests of buckets, if the sort has any; may be null
    /// \pre the plan has exact counts and was made for the keys in memory
    [[nodiscard]] virtual std::optional<Violation> replay(AnyReplayMemory const& memory,
                                                          TraceSink* sink) const = 0;
};

using SortPlanPointer = std::unique_ptr<SortPlan const>;

} // namespace keyswap::model
