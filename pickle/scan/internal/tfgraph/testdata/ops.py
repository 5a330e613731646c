"""Writes the operations of the installed TensorFlow, for ops.txt: python ops.py > ../ops.txt"""

from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session

ops = op_def_pb2.OpList()
ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
for name in sorted(op.name for op in ops.op):
    print(name)
