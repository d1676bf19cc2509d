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
        return tl::unexpected(
            SortError{SortErrorCode::invalid_option, std::move(*problem), InputState::intact});
    }
    if (device < 0 || device >= device_count()) {
        return tl::unexpected(SortError{SortErrorCode::no_such_device,
                                        "there is no device " + std::to_string(device) +
                                            " (this machine shows " +
                                            std::to_string(device_count()) + ")",
                                        InputState::intact});
    }
    try {
        DeviceScope const scope{device};
        return PathFinder(std::make_unique<PathState>(graph, method, delta, device));
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, InputState::intact));
    }
}

SortExpected<PathResult> PathFinder::find(std::uint32_t source) {
    if (source >= state_->vertex_count()) {
        return tl::unexpected(SortError{SortErrorCode::invalid_option,
                                        std::to_string(source) + " is not a vertex of " +
                                            std::to_string(state_->vertex_count()) +
                                            " (number them from 0)",
                                        InputState::intact});
    }
    try {
        DeviceScope const scope{state_->device()};
        return state_->find(source);
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, InputState::intact));
    }
}

} // namespace keyswap::kernels
