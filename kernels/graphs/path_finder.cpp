#include "kernels/device/cuda_error.hpp"
#include "kernels/graphs/path_graph.hpp"
#include "kernels/graphs/path_state.hpp"

#include <utility>

namespace keyswap::kernels {

PathFinder::PathFinder(std::unique_ptr<PathState> state) : state_(std::move(state)) {}
PathFinder::PathFinder(PathFinder&&) noexcept = default;
PathFinder& PathFinder::operator=(PathFinder&&) noexcept = default;
PathFinder::~PathFinder() = default;

SortExpected<PathFinder>
PathFinder::create(PathGraph const& graph, PathMethod method, std::uint32_t delta, int device) {
    if (auto problem = problem_of(graph, delta)) {
        return tl::unexpected(refused(std::move(*problem)));
    }
    if (auto error = missing_device(device)) {
        return tl::unexpected(std::move(*error));
    }
    return guarded([&]() -> SortExpected<PathFinder> {
        DeviceScope const scope{device};
        return PathFinder(std::make_unique<PathState>(graph, method, delta, device));
    });
}

SortExpected<PathResult> PathFinder::find(std::uint32_t source) {
    if (source >= state_->vertex_count()) {
        return tl::unexpected(refused(std::to_string(source) + " is not a vertex of " +
                                      std::to_string(state_->vertex_count()) +
                                      " (number them from 0)"));
    }
    return guarded([&]() -> SortExpected<PathResult> {
        DeviceScope const scope{state_->device()};
        return state_->find(source);
    });
}

} // namespace keyswap::kernels
