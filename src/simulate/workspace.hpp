// Reused buffers of one worker; results never depend on its contents.
#pragma once

namespace echo::simulate {
class Workspace {};
}  // namespace echo::simulate
