#include "kernels/device/peer_access.hpp"

#include "kernels/device/device_buffer.hpp"

namespace keyswap::kernels {

namespace {

/// Enables access of the current device to a peer; false if there is none.
bool enable_access(int device, int peer) {
    int possible = 0;
    KEYSWAP_CUDA(cudaDeviceCanAccessPeer(&possible, device, peer));
    if (possible == 0) {
        return false;
    }
    cudaError_t const code = cudaDeviceEnablePeerAccess(peer, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled || code == cudaErrorTooManyPeers) {
        static_cast<void>(cudaGetLastError()); // clears the error
        return code == cudaErrorPeerAccessAlreadyEnabled;
    }
    KEYSWAP_CUDA(code);
    return true;
}

} // namespace

bool enable_peer_access(std::set<int> const& devices) {
    bool all = true;
    for (int const device : devices) {
        DeviceScope const scope{device};
        for (int const peer : devices) {
            if (peer != device) {
                all = enable_access(device, peer) && all;
            }
        }
    }
    return all;
}

} // namespace keyswap::kernels
