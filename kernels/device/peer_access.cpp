#include "kernels/device/peer_access.hpp"

#include "kernels/device/device_buffer.hpp"

namespace keyswap::kernels {

bool enable_peer_access(std::set<int> const& devices) {
    bool all = true;
    for (int const device : devices) {
        DeviceScope const scope{device};
        for (int const peer : devices) {
            if (peer == device) {
                continue;
            }
            int possible = 0;
            KEYSWAP_CUDA(cudaDeviceCanAccessPeer(&possible, device, peer));
            if (possible == 0) {
                all = false; // the driver copies through the host
                continue;
            }
            cudaError_t const code = cudaDeviceEnablePeerAccess(peer, 0);
            if (code == cudaErrorPeerAccessAlreadyEnabled) {
                static_cast<void>(cudaGetLastError());
            } else {
                KEYSWAP_CUDA(code);
            }
        }
    }
    return all;
}

} // namespace keyswap::kernels
