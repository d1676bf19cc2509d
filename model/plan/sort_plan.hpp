#pragma once

/// \file What a sort decided before it moved a key, in one form for every sort: the commands,
/// the checker of recorded runs, the report and the simulator read nothing else.

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

/// A GPU counts its keys of the buckets that a pass refines, by the next digit.
struct CountStep {
    int pass = 1;
    GpuId gpu;
    std::uint64_t count = 0; ///< keys
    friend bool operator==(CountStep const&, CountStep const&) = default;
};

/// It orders them by that digit.
struct ScatterStep {
    int pass = 1;
    GpuId gpu;
    std::uint64_t count = 0; ///< keys
    friend bool operator==(ScatterStep const&, ScatterStep const&) = default;
};

/// One thing that happens on one GPU, or between two. What a trace records has the form of its
/// record.
using PlanStep = std::variant<CountStep, ScatterStep, CopyRecord, SortRangeRecord, MergeRecord>;

/// Keys in input order and the scratch space of equal size that a replay needs.
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

/// The plan of one sort of some keys.
class SortPlan {
  public:
    SortPlan() = default;
    SortPlan(SortPlan const&) = delete;
    SortPlan& operator=(SortPlan const&) = delete;
    virtual ~SortPlan() = default;

    [[nodiscard]] virtual SortConfig const& config() const = 0;
    [[nodiscard]] virtual Chunks const& chunks() const = 0;
    /// The buckets of a sort that partitions; null for one that merges sorted runs.
    [[nodiscard]] virtual Plan const* buckets() const { return nullptr; }
    /// [g] the part of the sorted order that each GPU owns at the end.
    [[nodiscard]] virtual std::vector<OwnershipRecord> ownership() const = 0;
    /// Most keys that the sort lets a GPU own, whatever the keys are.
    [[nodiscard]] virtual std::uint64_t owned_max() const = 0;
    /// How the exchange of buckets is laid out; nullopt if none are exchanged.
    [[nodiscard]] virtual std::optional<SwapLayout> layout() const = 0;
    /// Calls `visit` for every step, in the order in which they happen.
    virtual void for_each_step(std::function<void(PlanStep const&)> const& visit) const = 0;

    /// Lowest version of the trace format that can say what record() writes.
    [[nodiscard]] virtual int trace_version() const = 0;
    /// Writes what was decided, as a run would record it; the header is the caller's.
    virtual void record(TraceSink& sink) const = 0;
    /// Sorts the memory's arrays as planned.
    /// \param sink takes digests of what moves, where the sort has buckets; may be null
    /// \pre the plan is exact; its keys are those of the memory
    [[nodiscard]] virtual std::optional<Violation> replay(AnyReplayMemory const& memory,
                                                          TraceSink* sink) const = 0;
};

using SortPlanPointer = std::unique_ptr<SortPlan const>;

} // namespace keyswap::model
