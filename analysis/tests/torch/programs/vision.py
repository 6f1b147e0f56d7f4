"""A user's script: torchvision's ResNet-18 under DDP and autocast."""

import torch
import torch.distributed as dist
import torchvision

dist.init_process_group("nccl")
model = torch.nn.parallel.DistributedDataParallel(torchvision.models.resnet18().cuda(), device_ids=[0])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for _ in range(3):
    images, labels = torch.randn(4, 3, 224, 224).cuda(non_blocking=True), torch.randint(0, 1000, (4,)).cuda()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    loss.item()
